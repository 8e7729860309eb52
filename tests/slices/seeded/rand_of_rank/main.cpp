#include "temper.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Replica replica(rank, 1 + 0.5 * rank);
    Exchange exchange(MPI_COMM_WORLD, replica);
    int swaps = 0;
    for (int round = 0; round < 100; ++round) {
        replica.sweep();
        swaps += exchange.attempt(round);
    }
    double own = replica.energy(), mean = 0;
    MPI_Reduce(&own, &mean, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%g, %d swaps\n", mean / 4, swaps);
    MPI_Finalize();
}
