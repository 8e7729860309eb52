#include "group.h"

void group_open(struct group *g, MPI_Comm comm)
{
    g->comm = comm;
    g->leader = 0;
    MPI_Comm_rank(comm, &g->rank);
    MPI_Comm_size(comm, &g->size);
}

void group_measure(struct group *g, int own)
{
    MPI_Allgather(&own, 1, MPI_INT, g->load, 1, MPI_INT, g->comm);
}

/* The one with the least load; of equal ones the first. */
void group_elect(struct group *g)
{
    int best = g->rank; /* BUG: everybody must begin with the same, 0 */
    for (int i = 0; i < g->size; i++)
        if (g->load[i] < g->load[best])
            best = i;
    g->leader = best;
}
