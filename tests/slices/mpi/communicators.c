/* The same tag in another communicator is another message. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a = 0, b = 0, noise = 1;
    MPI_Comm private;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &private); /* in */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        a = 3; /* needed */
        b = 4; /* perturb */
        noise = 5; /* perturb */
        MPI_Send(&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&a, 1, MPI_INT, 1, 0, private); /* needed */
    } else if (rank == 1) {
        MPI_Recv(&a, 1, MPI_INT, 0, 0, private, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&b, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(a); /* criterion */
    }
    noise++;
    MPI_Finalize();
    return 0;
}
