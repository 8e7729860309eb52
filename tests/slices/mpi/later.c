/* A collective that is started and waited for. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0, sum = 0, noise = 1; /* alike */
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = 4 * rank + 1; /* needed */
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* in */
    noise = 9; /* perturb */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* in */
    observe(sum); /* criterion */
    noise++;
    MPI_Finalize();
    return 0;
}
