#include "table.hpp"
#include <cstdio>
#include <exception>
#include <mpi.h>

static double total(double own)
{
    double sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Table table;
    read_part(table, rank);
    try {
        double energy = total(model(table));
        if (rank == 0)
            std::printf("%g from %zu values\n", energy, table.size());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%d: %s\n", rank, error.what());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
