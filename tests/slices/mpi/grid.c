/* Rows and columns of a grid, made of one communicator of the program's own, which a function returns. */
#include "observe.h"
#include <mpi.h>

static MPI_Comm world;
static MPI_Comm row, column;

static MPI_Comm begin(void)
{
    MPI_Comm made;
    int size[2] = {2, 1}, around[2] = {0, 0};
    MPI_Cart_create(world, 2, size, around, 0, &made); /* needed */
    return made; /* in */
}

int main(int argc, char **argv)
{
    int rank, wanted = 0, other = 0, along[2] = {1, 0}, across[2] = {1, 1};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world); /* needed */
    MPI_Comm_rank(world, &rank); /* needed */
    grid = begin(); /* needed */
    MPI_Cart_sub(grid, along, &row); /* needed */
    MPI_Cart_sub(grid, across, &column);
    if (rank == 0) { /* in */
        wanted = 3; /* needed */
        other = 4; /* perturb */
        MPI_Send(&other, 1, MPI_INT, 1, 0, column);
        MPI_Send(&wanted, 1, MPI_INT, 1, 0, row); /* needed */
    } else {
        MPI_Recv(&wanted, 1, MPI_INT, 0, 0, row, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&other, 1, MPI_INT, 0, 0, column, MPI_STATUS_IGNORE);
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
