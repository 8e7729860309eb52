/* Two messages that nothing tells apart: who takes the first leaves the second to the other. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, first = 0, second = 0, noise = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        first = 3; /* in */
        second = 4; /* needed */
        noise = 2; /* perturb */
        MPI_Send(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* needed */
        MPI_Send(&second, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* needed */
    } else if (rank == 1) {
        MPI_Recv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&second, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        observe(second); /* criterion */
    }
    noise++;
    MPI_Finalize();
    return 0;
}
