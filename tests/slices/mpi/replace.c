/* One buffer for both directions. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, token, noise = 1; /* alike */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    token = 9 * rank + 1; /* needed */
    noise = token; /* perturb */
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
    observe(token); /* criterion */
    noise++;
    MPI_Finalize();
    return 0;
}
