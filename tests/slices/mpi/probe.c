/* How much has come is told by the message itself. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[4] = {1, 2, 3, 4}, count = 0, length, noise = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    length = rank + 2; /* needed */
    noise = 6; /* perturb */
    if (rank == 1) { /* in */
        MPI_Send(data, length, MPI_INT, 0, 9, MPI_COMM_WORLD); /* needed */
    } else if (rank == 0) {
        MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status); /* in */
        MPI_Get_count(&status, MPI_INT, &count); /* in */
        MPI_Recv(data, count, MPI_INT, status.MPI_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(count); /* criterion */
    }
    noise++;
    MPI_Finalize();
    return 0;
}
