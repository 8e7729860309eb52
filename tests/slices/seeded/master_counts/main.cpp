#include "farm.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = 0;
    if (rank == 0) {
        Master master(MPI_COMM_WORLD, 25);
        sum = master.run();
    } else {
        work(MPI_COMM_WORLD);
    }
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    std::printf("%d: %g\n", rank, sum);
    MPI_Finalize();
}
