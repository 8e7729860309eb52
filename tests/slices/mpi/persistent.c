/* Requests that are set up once and started again and again. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, sum = 0, i, noise = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        MPI_Send_init(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request); /* needed */
        for (i = 0; i < 3; i++) { /* in */
            value = 10 + i; /* needed */
            noise = i; /* perturb */
            MPI_Start(&request); /* needed */
            MPI_Wait(&request, MPI_STATUS_IGNORE); /* in */
        }
    } else if (rank == 1) {
        MPI_Recv_init(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request); /* needed */
        for (i = 0; i < 3; i++) { /* in */
            MPI_Start(&request); /* needed */
            MPI_Wait(&request, MPI_STATUS_IGNORE); /* needed */
            sum += value; /* needed */
        }
        observe(sum); /* criterion */
    }
    noise++;
    if (rank < 2)
        MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
