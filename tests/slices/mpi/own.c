/* In the communicator of oneself alone nobody else's message arrives. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0, theirs = 0, other = 0; /* alike */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        other = 5; /* perturb */
        MPI_Send(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) { /* in */
        mine = 9; /* needed */
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(theirs); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
