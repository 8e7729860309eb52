#include "amr.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Hierarchy hierarchy(MPI_COMM_WORLD);
        hierarchy.refine(0.3);
        double total = 0;
        for (int step = 0; step < 10; ++step)
            total += hierarchy.advance();
        double least = 0;
        MPI_Reduce(&total, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
        std::printf("%d levels, %g\n", hierarchy.depth(), least);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
