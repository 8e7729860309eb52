/* A tag in a member that is set twice may be either; so may one that a loop counts. */
#include "observe.h"
#include <mpi.h>

struct channel {
    int tag;
};

int main(int argc, char **argv)
{
    int rank, wanted = 0, next = 0;
    struct channel channel;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    channel.tag = 5;
    if (rank == 0) { /* in */
        channel.tag = 6; /* needed */
        wanted = 7; /* needed */
        MPI_Send(&wanted, 1, MPI_INT, 1, channel.tag, MPI_COMM_WORLD); /* needed */
        for (int tag = 1; tag < 4; tag++) { /* in */
            next = tag * 10; /* needed */
            MPI_Send(&next, 1, MPI_INT, 1, tag, MPI_COMM_WORLD); /* needed */
        }
    } else {
        MPI_Recv(&wanted, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&next, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        observe(wanted + next); /* criterion */
        MPI_Recv(&next, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&next, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
