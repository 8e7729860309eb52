/* Everybody's contribution is in the sum, and the root's in the broadcast. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine, sum = 0, setting = 0, best = 0, other = 3; /* alike */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) /* in */
        setting = 6; /* needed */
    MPI_Bcast(&setting, 1, MPI_INT, 0, MPI_COMM_WORLD); /* needed */
    mine = setting * (rank + 1); /* needed */
    other = mine + 1; /* perturb */
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* needed */
    MPI_Reduce(&other, &best, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    observe(sum); /* criterion */
    MPI_Finalize();
    return 0;
}
