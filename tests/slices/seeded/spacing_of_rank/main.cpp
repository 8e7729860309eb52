#include "wave.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Wave wave(MPI_COMM_WORLD, layers());
        wave.plan(3.0);
        wave.run();
        double own = wave.energy(), sum;
        MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        std::printf("%g\n", own);
    }
    MPI_Finalize();
}
