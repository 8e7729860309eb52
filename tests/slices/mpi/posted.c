/* A rank opens its window to another, which puts a value there: it is there when the first has waited. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, cell = 0, value = 0, noise = 7;
    MPI_Group all, one;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* in */
    MPI_Comm_group(MPI_COMM_WORLD, &all); /* needed */
    other = 1 - rank; /* needed */
    MPI_Group_incl(all, 1, &other, &one); /* needed */
    noise = 3; /* perturb */
    if (rank == 1) { /* in */
        value = 41; /* needed */
        MPI_Win_start(one, 0, window); /* needed */
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* needed */
        MPI_Win_complete(window); /* needed */
    } else {
        MPI_Win_post(one, 0, window); /* needed */
        MPI_Win_wait(window); /* in */
        observe(cell); /* criterion */ /* observes 41 */
    }
    noise++;
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
