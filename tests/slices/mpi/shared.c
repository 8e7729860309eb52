/* Memory that ranks share: a plain assignment of one is read by the other. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *mine, *theirs, unit, noise = 7;
    MPI_Aint size;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window); /* in */
    MPI_Win_fence(0, window); /* in */
    if (rank == 1) /* in */
        *mine = 27; /* needed */
    noise = 3; /* perturb */
    MPI_Win_fence(0, window); /* in */
    if (rank == 0) {
        MPI_Win_shared_query(window, 1, &size, &unit, &theirs); /* in */
        observe(*theirs); /* criterion */
    }
    MPI_Win_fence(0, window); /* in */
    noise++;
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
