/* What one rank has in its window, another gets. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, cell = 0, fetched = -1, noise = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* in */
    if (rank == 1) /* in */
        cell = 66; /* needed */
    noise = 3; /* perturb */
    MPI_Win_fence(0, window); /* in */
    if (rank == 0)
        MPI_Get(&fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* needed */
    MPI_Win_fence(0, window); /* in */
    if (rank == 0)
        observe(fetched); /* criterion */ /* observes 66 */
    noise++;
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
