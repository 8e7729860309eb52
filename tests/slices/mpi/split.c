/* Who is in the sum was decided by what all gave to the split. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, colour, mine, sum = 0, noise = 1;
    MPI_Comm part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    colour = rank == 2 ? 0 : rank; /* needed */
    noise = 6; /* perturb */
    MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &part); /* in */
    mine = 1 << rank; /* needed */
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, part); /* needed */
    observe(sum); /* criterion */
    noise++;
    MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
