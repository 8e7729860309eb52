/* Communicators of two splits, of a duplicate and of all ranks are four: a message in one is none in another. */
#include "observe.h"
#include <mpi.h>

struct grid {
    MPI_Comm rows, columns, own;
};

static void make(struct grid *grid, int rank)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &grid->rows); /* needed */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &grid->columns);
    MPI_Comm_dup(MPI_COMM_WORLD, &grid->own);
}

int main(int argc, char **argv)
{
    int rank, wanted = 0, other = 0, third = 0, fourth = 0;
    struct grid grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make(&grid, rank); /* needed */
    if (rank == 0) { /* in */
        wanted = 3; /* needed */
        other = 4; /* perturb */
        third = 5; /* perturb */
        fourth = 6; /* perturb */
        MPI_Send(&other, 1, MPI_INT, 1, 0, grid.columns);
        MPI_Send(&third, 1, MPI_INT, 1, 0, grid.own);
        MPI_Send(&fourth, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&wanted, 1, MPI_INT, 1, 0, grid.rows); /* needed */
    } else {
        MPI_Recv(&wanted, 1, MPI_INT, 0, 0, grid.rows, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&other, 1, MPI_INT, 0, 0, grid.columns, MPI_STATUS_IGNORE);
        MPI_Recv(&third, 1, MPI_INT, 0, 0, grid.own, MPI_STATUS_IGNORE);
        MPI_Recv(&fourth, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
