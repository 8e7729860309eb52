/* Both directions in one call. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, mine, theirs = -1, partner, noise = 1; /* alike */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    partner = rank ^ 1; /* in */
    mine = 70 + rank; /* needed */
    noise = mine; /* perturb */
    MPI_Sendrecv(&mine, 1, MPI_INT, partner, 0, &theirs, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, /* in */
                 MPI_STATUS_IGNORE);
    observe(theirs); /* criterion */
    noise++;
    MPI_Finalize();
    return 0;
}
