/* A value goes from rank to rank and grows on its way. */
#include "observe.h"
#include <mpi.h>

static int pass(int rank, int size)
{
    int value = 1, noise = 0;
    if (rank > 0) /* in */
        MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
    value = value * 10 + rank; /* needed */
    noise = value; /* perturb */
    if (rank < size - 1) /* in */
        MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD); /* needed */
    noise++;
    return value; /* in */
}

int main(int argc, char **argv)
{
    int rank, size, end;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    end = pass(rank, size); /* needed */
    if (rank == 2) /* in */
        observe(end); /* criterion */
    MPI_Finalize();
    return 0;
}
