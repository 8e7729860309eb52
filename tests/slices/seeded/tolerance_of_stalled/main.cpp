#include "iterate.hpp"
#include <cstdio>

static double largest(double own)
{
    double all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Field field(rank, size, 20);
    Control control(1e-9);
    while (!control.is_done()) {
        double change = field.sweep();
        control.see(change, largest(change));
    }
    std::vector<double> all(rank == 0 ? size : 0);
    double first = field.values().front();
    MPI_Gather(&first, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%d rounds\n", control.rounds());
    MPI_Finalize();
}
