#include "field.h"
#include <stdlib.h>

void rod_make(Rod *rod, MPI_Comm comm, int cells)
{
    rod->comm = comm;
    MPI_Comm_rank(comm, &rod->rank);
    MPI_Comm_size(comm, &rod->size);
    rod->cells = cells;
    rod->sweeps = 0;
    rod->verbose = 0;
    rod->left = rod->rank > 0 ? rod->rank - 1 : MPI_PROC_NULL;
    rod->right = rod->rank + 1 < rod->size ? rod->rank + 1 : MPI_PROC_NULL;
    rod->now = calloc(cells + 2, sizeof *rod->now);
    rod->next = calloc(cells + 2, sizeof *rod->next);
    if (rod->rank == 0)
        rod->now[0] = rod->next[0] = 100;
}

void rod_free(Rod *rod)
{
    free(rod->now);
    free(rod->next);
}

void halo_swap(Rod *rod)
{
    MPI_Sendrecv(&rod->now[rod->cells], 1, MPI_DOUBLE, rod->right, 3, &rod->now[0], 1, MPI_DOUBLE, rod->left, 3,
                 rod->comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&rod->now[1], 1, MPI_DOUBLE, rod->left, 4, &rod->now[rod->cells + 1], 1, MPI_DOUBLE, rod->right, 4,
                 rod->comm, MPI_STATUS_IGNORE);
    if (rod->rank == 0)
        rod->now[0] = 100;
}

void relax(Rod *rod)
{
    for (int i = 1; i <= rod->cells; i++)
        rod->next[i] = 0.5 * (rod->now[i - 1] + rod->now[i + 1]);
    double *swap = rod->now;
    rod->now = rod->next;
    rod->next = swap;
    rod->sweeps++;
}
