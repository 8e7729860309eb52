/* A rank asks again and again whether something has come, and does its own work meanwhile. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, there = 0, value = 0, work = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        while (!there) { /* in */
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status); /* in */
            work++; /* perturb */
        }
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* in */
        observe(value); /* criterion */
    } else if (rank == 1) {
        value = 81; /* needed */
        MPI_Send(&value, 1, MPI_INT, 0, 12, MPI_COMM_WORLD); /* needed */
    }
    MPI_Finalize();
    return 0;
}
