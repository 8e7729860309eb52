/* Tags in members that are set once: a message of another channel is another message. */
#include "observe.h"
#include <mpi.h>

struct channel {
    int tag;
    int peer;
};

struct exchange {
    struct channel halo;
    int done_tag;
};

static void set_up(struct exchange *exchange, int rank)
{
    exchange->halo.tag = 5; /* needed */
    exchange->halo.peer = 1 - rank; /* needed */
    exchange->done_tag = 6;
}

int main(int argc, char **argv)
{
    int rank, wanted = 0, other = 0;
    struct exchange exchange;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_up(&exchange, rank); /* needed */
    if (rank == 0) { /* in */
        wanted = 7; /* needed */
        other = 8; /* perturb */
        MPI_Send(&other, 1, MPI_INT, exchange.halo.peer, exchange.done_tag, MPI_COMM_WORLD);
        MPI_Send(&wanted, 1, MPI_INT, exchange.halo.peer, exchange.halo.tag, MPI_COMM_WORLD); /* needed */
    } else {
        MPI_Recv(&wanted, 1, MPI_INT, exchange.halo.peer, exchange.halo.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&other, 1, MPI_INT, exchange.halo.peer, exchange.done_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
