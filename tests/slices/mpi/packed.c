/* What is packed here is unpacked there. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a = 0, b = 0, at = 0, noise = 1;
    char buffer[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) { /* in */
        a = 12; /* in */
        b = 13; /* needed */
        noise = 9; /* perturb */
        MPI_Pack(&a, 1, MPI_INT, buffer, 64, &at, MPI_COMM_WORLD); /* needed */
        MPI_Pack(&b, 1, MPI_INT, buffer, 64, &at, MPI_COMM_WORLD); /* needed */
        MPI_Send(buffer, at, MPI_PACKED, 0, 0, MPI_COMM_WORLD); /* needed */
    } else if (rank == 0) {
        MPI_Recv(buffer, 64, MPI_PACKED, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        MPI_Unpack(buffer, 64, &at, &a, 1, MPI_INT, MPI_COMM_WORLD); /* needed */
        MPI_Unpack(buffer, 64, &at, &b, 1, MPI_INT, MPI_COMM_WORLD); /* needed */
        observe(b); /* criterion */
    }
    noise++;
    MPI_Finalize();
    return 0;
}
