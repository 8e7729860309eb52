/* Blocks of several sizes go round a ring; long ones follow their header in a message of their own. */
#include "blocks.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    struct block mine = {0}, got = {0};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 6; round++) {
        fill(&mine, rank, round);
        if (rank % 2 == 0) {
            give(&mine, (rank + 1) % size);
            take(&got, (rank + size - 1) % size);
        } else {
            take(&got, (rank + size - 1) % size);
            give(&mine, (rank + 1) % size);
        }
        join(&mine, &got);
    }
    MPI_Finalize();
    return 0;
}
