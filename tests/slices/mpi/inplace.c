/* The buffer is contribution and result. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, both[2], noise = 1; /* alike */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    both[0] = rank + 6; /* needed */
    both[1] = 2; /* in */
    noise = 9; /* perturb */
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_PROD, MPI_COMM_WORLD); /* needed */
    observe(both[0]); /* criterion */
    noise++;
    MPI_Finalize();
    return 0;
}
