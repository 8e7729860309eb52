/* That the line is reached at all rests on a message that brings nothing. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, go = 1, noise = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        go = 12; /* needed */
        MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* needed */
        noise = 5; /* perturb */
    } else if (rank == 1) {
        MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* in */
        if (go > 10) /* in */
            observe(1); /* criterion */
        else
            observe(0);
    }
    noise++;
    MPI_Finalize();
    return 0;
}
