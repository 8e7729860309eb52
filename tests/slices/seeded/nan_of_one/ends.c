#include "gas.h"

static void pass(double *out, double *in, int to, int from, int tag)
{
    MPI_Sendrecv(out, 1, MPI_DOUBLE, to, tag, in, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void gas_ends(struct gas *g)
{
    int next = (g->rank + 1) % g->size, last = (g->rank + g->size - 1) % g->size;
    pass(&g->rho[CELLS], &g->rho[0], next, last, 1);
    pass(&g->rho[1], &g->rho[CELLS + 1], last, next, 2);
    pass(&g->v[CELLS], &g->v[0], next, last, 3);
    pass(&g->v[1], &g->v[CELLS + 1], last, next, 4);
}
