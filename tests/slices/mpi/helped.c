/* Tags that are handed down to functions which send and receive: one for halos, one for the end. */
#include "observe.h"
#include <mpi.h>

enum { FIRST_TAG = 20 };

static void send_with(int *value, int to, int tag)
{
    MPI_Send(value, 1, MPI_INT, to, tag, MPI_COMM_WORLD); /* needed */
}

static void send_halo(int *value, int to, int side)
{
    send_with(value, to, FIRST_TAG + side); /* needed */
}

static void send_done(int *value, int to, int tag)
{
    MPI_Send(value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void take(int *value, int from, int tag)
{
    MPI_Recv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
}

static void take_done(int *value, int from, int tag)
{
    MPI_Recv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, wanted = 0, done = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        wanted = 7; /* needed */
        done = 8; /* perturb */
        send_done(&done, 1, 3);
        send_halo(&wanted, 1, 1); /* needed */
    } else {
        take(&wanted, 0, FIRST_TAG + 1); /* needed */
        take_done(&done, 0, 3);
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
