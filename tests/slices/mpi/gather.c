/* The root sees what all have put in. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, i, mine, all[8], noise = 0; /* alike */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = 5 * rank; /* needed */
    for (i = 0; i < 8; i++)
        all[i] = 0;
    noise = rank; /* perturb */
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD); /* needed */
    if (rank == 0) /* in */
        observe(all[size - 1]); /* criterion */
    noise++;
    MPI_Finalize();
    return 0;
}
