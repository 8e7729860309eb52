#include "queue.h"

void sim_make(struct sim *s, MPI_Comm comm)
{
    MPI_Comm_rank(comm, &s->rank);
    MPI_Comm_size(comm, &s->size);
    s->comm = comm;
    s->seed = 17 + s->rank;
    s->queue.head = s->queue.tail = 0;
    s->done = 0;
    int own = 40 + 10 * s->rank;
    for (int i = 0; i < own; i++)
        queue_add(&s->queue, i + 1000 * s->rank);
    s->total = own * s->size; /* BUG: the ranks have different numbers */
}

int sim_round(struct sim *s)
{
    int worked = 0, some = 5;
    while (some-- > 0 && queue_length(&s->queue) > 0) {
        int item = queue_take(&s->queue);
        s->seed = s->seed * 1103515245u + item;
        worked++;
    }
    return worked;
}

int sim_count(struct sim *s, int own)
{
    int all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, s->comm);
    return all;
}
