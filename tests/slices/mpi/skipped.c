/* Three duplicates, the first of which one rank makes elsewhere: the second call of that rank is the third one's partner. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, wanted = 0;
    MPI_Comm first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) /* in */
        MPI_Comm_dup(MPI_COMM_WORLD, &first); /* needed */
    MPI_Comm_dup(MPI_COMM_WORLD, &second); /* needed */
    if (rank == 1)
        MPI_Comm_dup(MPI_COMM_WORLD, &first); /* in */
    if (rank == 0) { /* in */
        wanted = 3; /* needed */
        MPI_Send(&wanted, 1, MPI_INT, 1, 0, first); /* needed */
    } else {
        MPI_Recv(&wanted, 1, MPI_INT, 0, 0, second, MPI_STATUS_IGNORE); /* needed */
        observe(wanted); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
