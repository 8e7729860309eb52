/* Two calls make one communicator, since the ranks are on different ways. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, wanted = 0;
    MPI_Comm left, right;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        MPI_Comm_dup(MPI_COMM_WORLD, &left); /* needed */
        wanted = 3; /* needed */
        MPI_Send(&wanted, 1, MPI_INT, 1, 0, left); /* needed */
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &right); /* needed */
        MPI_Recv(&wanted, 1, MPI_INT, 0, 0, right, MPI_STATUS_IGNORE); /* needed */
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
