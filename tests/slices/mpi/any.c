/* Whoever comes first: all that can match is in. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, sum = 0, i, unused = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (i = 0; i < 2; i++) { /* in */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* in */
            sum += value; /* needed */
        }
        observe(sum); /* criterion */
    } else if (rank == 1) {
        value = 20; /* needed */
        MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /* needed */
    } else if (rank == 2) {
        value = 300; /* needed */
        unused = 4; /* perturb */
        MPI_Send(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD); /* needed */
    }
    unused++;
    MPI_Finalize();
    return 0;
}
