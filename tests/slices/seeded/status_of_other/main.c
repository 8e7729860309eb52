/* Rank 0 deals jobs to the others and keeps the best result. */
#include "box.h"

int main(int argc, char **argv)
{
    struct box box = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &box.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &box.size);
    if (box.rank == 0)
        serve(&box, 12);
    else
        work(&box);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
