#include "ring.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Ring ring(MPI_COMM_WORLD);
    ring.inject(0.5 * ring.rank());
    for (int step = 0; step < 100; ++step)
        ring.turn(step);
    double own = ring.load(), sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (ring.rank() == 0)
        std::printf("%g\n", sum);
    MPI_Finalize();
}
