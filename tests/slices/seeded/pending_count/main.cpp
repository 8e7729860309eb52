#include "queue.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Queue queue(MPI_COMM_WORLD, 26);
        double cost = 0, all = 0;
        queue.each_own([&](const Job &job) { cost += job.cost; });
        queue.steal();
        queue.settle();
        MPI_Allreduce(&cost, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        std::printf("%d jobs, %g\n", queue.own(), all);
    }
    MPI_Finalize();
}
