#include "cycle.hpp"
#include "parameters.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    load(rank);
    const auto &parameters = Parameters::get();
    const int levels = parameters.number("levels", 3);
    const int smooth = parameters.number("smooth", 2);
    const int cycles = parameters.number("cycles", 6);
    double residual = 1;
    for (int i = 0; i < cycles; ++i)
        residual = cycle(levels, smooth, residual, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%g\n", residual);
    MPI_Finalize();
}
