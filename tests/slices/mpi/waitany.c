/* Which of two requests is done is decided by who has sent. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value[2] = {0, 0}, which = -1, give = 1, noise = 1;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        MPI_Irecv(&value[0], 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request[0]); /* in */
        MPI_Irecv(&value[1], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request[1]); /* in */
        noise = 9; /* perturb */
        MPI_Waitany(2, request, &which, MPI_STATUS_IGNORE); /* needed */
        observe(which); /* criterion */
        MPI_Recv(&value[0], 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Cancel(&request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Send(&give, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /* needed */
        MPI_Send(&give, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
    noise++;
    MPI_Finalize();
    return 0;
}
