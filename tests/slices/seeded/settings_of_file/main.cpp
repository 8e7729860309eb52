#include "solver.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Settings settings;
    if (rank == 0)
        settings.parse("sweeps 3 most 50 limit 1e-6");
    settings.share(MPI_COMM_WORLD);
    Smoother smoother(settings, MPI_COMM_WORLD);
    int cycles = 0;
    while (cycles++ < smoother.most())
        if (smoother.is_done(smoother.cycle()))
            break;
    if (rank == 0)
        std::printf("%d cycles\n", cycles);
    MPI_Finalize();
}
