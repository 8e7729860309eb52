#include "table.h"

int main(int argc, char **argv)
{
    struct table t;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int done = process(&t, rank, 3, MPI_COMM_WORLD), least;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&done, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    int all[64];
    MPI_Gather(&done, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d of 3, last %d\n", least, all[size - 1]);
    MPI_Finalize();
    return 0;
}
