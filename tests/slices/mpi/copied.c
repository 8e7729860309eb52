/* The request that is waited for is a copy. */
#include "observe.h"
#include <mpi.h>

static void finish(MPI_Request request)
{
    int unused = 0;
    unused = 1; /* perturb */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* needed */
    unused++;
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) { /* in */
        value = 52; /* needed */
        MPI_Recv(0, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* needed */
    } else if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* needed */
        MPI_Send(0, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
        finish(request); /* needed */
        observe(value); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
