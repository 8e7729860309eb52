/* Two messages between the same ranks, told apart by their tags. */
#include "observe.h"
#include <mpi.h>

#define TAG_WANTED 1
#define TAG_OTHER 2

int main(int argc, char **argv)
{
    int rank, wanted = 0, other = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        wanted = 7; /* needed */
        other = 8; /* perturb */
        MPI_Send(&other, 1, MPI_INT, 1, TAG_OTHER, MPI_COMM_WORLD);
        MPI_Send(&wanted, 1, MPI_INT, 1, TAG_WANTED, MPI_COMM_WORLD); /* needed */
    } else if (rank == 1) {
        MPI_Recv(&wanted, 1, MPI_INT, 0, TAG_WANTED, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&other, 1, MPI_INT, 0, TAG_OTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
