#include "pool.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        struct master m;
        master_begin(&m, MPI_COMM_WORLD, 23);
        master_run(&m);
        master_stop(&m);
        printf("%g\n", m.sum);
    } else {
        worker_run(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
