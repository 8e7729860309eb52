/* A token goes round a ring ten times and counts who has nothing to do. */
#include "ring.h"
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct load load;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start(&load, rank);
    int rounds = circulate(&load, rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d rounds\n", rounds);
    MPI_Finalize();
    return 0;
}
