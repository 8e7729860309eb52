/* Each rank has some parts of a table; who has which is told by a mask, and rank 0 gathers the sums of all parts. */
#include "ready.h"

int main(int argc, char **argv)
{
    struct parts parts = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &parts.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &parts.size);
    find_parts(&parts);
    agree(&parts);
    if (parts.rank == 0)
        gather_parts(&parts);
    else
        send_parts(&parts);
    MPI_Bcast(&parts.sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    printf("%d: %g\n", parts.rank, parts.sum);
    MPI_Finalize();
    return 0;
}
