#include "wire.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Wire wire(MPI_COMM_WORLD);
    Chain chain(wire, rank, size);
    for (int step = 0; step < 3; ++step) {
        chain.send_positions();
        chain.forces();
        chain.collect();
    }
    if (rank == 0)
        std::printf("%g\n", chain.energy());
    MPI_Finalize();
}
