/* One rank writes into another's window. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, cell = -1, value, noise = 4;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank + 40; /* needed */
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* in */
    MPI_Win_fence(0, window); /* in */
    noise = 9; /* perturb */
    if (rank == 1) /* in */
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* needed */
    MPI_Win_fence(0, window); /* in */
    if (rank == 0)
        observe(cell); /* criterion */ /* observes 41 */
    noise--;
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
