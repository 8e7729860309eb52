#include "dump.h"

long writer_total(const struct writer *w)
{
    long upto = 0;
    MPI_Exscan(&w->mine, &upto, 1, MPI_LONG, MPI_SUM, w->comm);
    return upto + w->mine; /* BUG: that is the total on the last rank only */
}

void writer_plan(struct writer *w, MPI_Comm comm, long mine)
{
    w->comm = comm;
    w->mine = mine;
    w->chunk = 500;
    w->offset = 0;
    MPI_Comm_rank(comm, &w->rank);
    MPI_Comm_size(comm, &w->size);
    MPI_Exscan(&mine, &w->offset, 1, MPI_LONG, MPI_SUM, comm);
    if (w->rank == 0)
        w->offset = 0;
    long total = writer_total(w);
    w->rounds = (total + w->chunk - 1) / w->chunk;
}
