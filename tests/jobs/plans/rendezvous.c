/* Rank 0 sends rank 1 large messages, one after the other. Rank 2 waits for each of them to be through, and so do the others for rank 2. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { LARGE = 1 << 23 };
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *data = calloc(LARGE, 1);
    for (;;) {
        if (rank == 0) MPI_Send(data, LARGE, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(data, LARGE, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > 0) {
            int next = rank + 1, size;
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            if (rank > 1) MPI_Recv(data, 1, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (next < size) MPI_Send(data, 1, MPI_BYTE, next, 1, MPI_COMM_WORLD);
        }
    }
}
