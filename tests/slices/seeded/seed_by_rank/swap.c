#include "sim.h"

void swap_walk(struct walk *w, int rank, int size)
{
    long mine = w->at;
    MPI_Sendrecv(&mine, 1, MPI_LONG, (rank + 1) % size, 0, &w->at, 1, MPI_LONG, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    w->changes++;
}
