/* An intercommunicator, which each group makes from a communicator of its own, is no other communicator. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, wanted = 0, other = 0;
    MPI_Comm group, left, right;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &group); /* needed */
    if (rank == 0) { /* in */
        MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1, 9, &left); /* needed */
        wanted = 3; /* needed */
        other = 4; /* perturb */
        MPI_Send(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&wanted, 1, MPI_INT, 0, 0, left); /* needed */
    } else {
        MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 0, 9, &right); /* needed */
        MPI_Recv(&wanted, 1, MPI_INT, 0, 0, right, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
