/* The memory of a window that MPI allocates. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *cells, *mine, value = 0, noise = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window); /* in */
    mine = cells + 1; /* in */
    *mine = 1; /* in */
    MPI_Win_fence(0, window); /* in */
    value = 31; /* needed */
    noise = 3; /* perturb */
    if (rank == 1) /* in */
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window); /* needed */
    MPI_Win_fence(0, window); /* in */
    if (rank == 0)
        observe(cells[1]); /* criterion */
    noise++;
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
