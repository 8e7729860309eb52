#include "graph.h"

void deliver(const struct plan *p, const struct graph *g, int round, long *sum)
{
    int token = g->rank + 10 * round, got;
    for (int i = 0; i < p->sends; i++)
        MPI_Send(&token, 1, MPI_INT, p->to[i], round, MPI_COMM_WORLD);
    for (int left = p->receives; left > 0; left--) {
        MPI_Status status;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
        *sum += got * (status.MPI_SOURCE + 1);
    }
}
