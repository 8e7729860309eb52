/* Memory from MPI is memory like any other, also behind a second pointer. */
#include "observe.h"
#include <mpi.h>

static void fill(int *cells, int rank)
{
    cells[2] = 8 + rank; /* needed */
}

int main(int argc, char **argv)
{
    int rank, *cells, *again, noise = 0; /* alike */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Alloc_mem(4 * sizeof(int), MPI_INFO_NULL, &cells); /* in */
    again = cells; /* in */
    noise = 3; /* perturb */
    fill(again, rank); /* needed */
    MPI_Bcast(cells, 4, MPI_INT, 1, MPI_COMM_WORLD); /* needed */
    observe(cells[2]); /* criterion */
    noise++;
    MPI_Free_mem(again);
    MPI_Finalize();
    return 0;
}
