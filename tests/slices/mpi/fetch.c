/* A counter in one rank's window: what one rank fetches is what another has added. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, counter = 0, step, before = -1, noise = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&counter, sizeof counter, sizeof counter, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* in */
    MPI_Win_fence(0, window); /* in */
    step = 5; /* needed */
    if (rank == 1) /* in */
        MPI_Accumulate(&step, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window); /* needed */
    MPI_Win_fence(0, window); /* in */
    noise = 2; /* perturb */
    if (rank == 2) {
        int nothing = 0;
        MPI_Fetch_and_op(&nothing, &before, MPI_INT, 0, 0, MPI_SUM, window); /* needed */
    }
    MPI_Win_fence(0, window); /* in */
    if (rank == 2)
        observe(before); /* criterion */
    noise++;
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
