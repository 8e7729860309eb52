/* What was asked for early arrives at the wait. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, incoming = -1, outgoing, left, right, noise = 2; /* alike */
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size; /* in */
    right = (rank + 1) % size; /* in */
    outgoing = 100 + rank; /* needed */
    MPI_Irecv(&incoming, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request[0]); /* in */
    MPI_Isend(&outgoing, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &request[1]); /* in */
    noise = 3; /* perturb */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* in */
    observe(incoming); /* criterion */
    MPI_Finalize();
    return 0;
}
