#include "sim.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct walk walk = {.at = 17 * rank};
    dice_start(argc > 1 ? atoi(argv[1]) : 3);
    for (int step = 0; step < 200; step++) {
        walk_on(&walk);
        if (worth_a_swap(&walk))
            swap_walk(&walk, rank, size);
    }
    long sum;
    MPI_Reduce(&walk.at, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld after %d changes\n", sum, walk.changes);
    MPI_Finalize();
    return 0;
}
