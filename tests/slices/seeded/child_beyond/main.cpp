// The last rank writes, all others compute and sum up.
#include "tree.hpp"
#include <cstdio>

static double compute(int rank, int step)
{
    double sum = 0;
    for (int i = 0; i < 50; ++i)
        sum += (rank + 1.0) / (step + i + 1);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Tree tree(rank, size - 1);
    for (int step = 0; step < 4; ++step) {
        double sum = 0;
        if (tree.is_member())
            sum = reduced(tree, compute(rank, step), MPI_COMM_WORLD);
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank == size - 1)
            std::printf("%g\n", sum);
    }
    MPI_Finalize();
}
