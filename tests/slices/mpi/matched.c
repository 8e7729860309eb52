/* A message that was probed for is received by its handle. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, noise = 1;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) { /* in */
        value = 17; /* needed */
        noise = 9; /* perturb */
        MPI_Ssend(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD); /* needed */
    } else if (rank == 0) {
        MPI_Mprobe(1, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE); /* needed */
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE); /* needed */
        observe(value); /* criterion */
    }
    noise++;
    MPI_Finalize();
    return 0;
}
