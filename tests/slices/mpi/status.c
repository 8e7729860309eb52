/* The tag itself is the news. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, tag = 1, noise = 1;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) { /* in */
        tag = 23; /* needed */
        noise = 9; /* perturb */
        MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); /* needed */
    } else if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &status); /* needed */
        observe(status.MPI_TAG); /* criterion */
    }
    noise++;
    MPI_Finalize();
    return 0;
}
