/* The fragment of section 4.4.1: what one branch sends, the other receives. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, y = 0, z = 3, result = 0, unused = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* in */
    unused = unused + rank; /* perturb */
    if (rank == 0) { /* in */
        x = 10; /* needed */
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* needed */
    } else {
        MPI_Recv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        result = y * z; /* needed */
        observe(result); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
