#include "data.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct block block;
    enum status status = pipeline(&block, rank, MPI_COMM_WORLD);
    if (status != FINE)
        fprintf(stderr, "%d: status %d\n", rank, status);
    MPI_Barrier(MPI_COMM_WORLD);
    free(block.at);
    MPI_Finalize();
    return 0;
}
