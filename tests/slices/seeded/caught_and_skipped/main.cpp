#include "flow.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Burning model(2.0);
    Column column(model, rank);
    int failed = 0;
    for (int step = 0; step < 30; ++step) {
        try {
            column.implicit(0.02);
            column.share(MPI_COMM_WORLD);
        } catch (const Diverged &error) {
            std::fprintf(stderr, "%s\n", error.what());
            failed++;
        }
    }
    int all;
    MPI_Reduce(&failed, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
