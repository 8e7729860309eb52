/* The send stands in one function, the receive in another. */
#include "observe.h"
#include <mpi.h>

static void give(int *value, int to)
{
    MPI_Send(value, 1, MPI_INT, to, 3, MPI_COMM_WORLD); /* needed */
}

static int get(int from)
{
    int value = -1;
    int unused = from; /* perturb */
    MPI_Recv(&value, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
    unused++;
    return value;
}

int main(int argc, char **argv)
{
    int rank, mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank * 11 + 4; /* needed */
    if (rank == 0) /* in */
        give(&mine, 1); /* needed */
    if (rank == 1)
        observe(get(0)); /* criterion */
    MPI_Finalize();
    return 0;
}
