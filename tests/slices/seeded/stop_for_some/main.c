/* Rank 0 hands out jobs, the others do them. */
#include "pool.h"
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, done = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        struct pool pool;
        open_pool(&pool, size);
        if (first_round(&pool, 20) > 0)
            serve(&pool, 20);
        close_pool(&pool);
    } else {
        done = work(rank);
    }
    MPI_Reduce(&done, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d jobs\n", all);
    MPI_Finalize();
    return 0;
}
