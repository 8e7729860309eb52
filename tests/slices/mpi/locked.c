/* A rank locks another's window, gets what stands there and unlocks it: only then it has it. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, cell = 0, fetched = -1, noise = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* in */
    if (rank == 1) { /* in */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window); /* in */
        cell = 66; /* needed */
        MPI_Win_unlock(1, window); /* in */
    }
    noise = 3; /* perturb */
    MPI_Barrier(MPI_COMM_WORLD); /* in */
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); /* needed */
        MPI_Get(&fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* needed */
        MPI_Win_unlock(1, window); /* in */
        observe(fetched); /* criterion */ /* observes 66 */
    }
    noise++;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
