#include "stage.hpp"
#include <mpi.h>

static double norm(const std::vector<double> &cells)
{
    double sum = 0, all = 0;
    for (double cell : cells)
        sum += cell * cell;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

void execute(const Pipeline &pipeline, std::vector<double> &cells)
{
    for (const auto &stage : pipeline) {
        stage->run(cells);
        if (stage->collective()) {
            const double scale = norm(cells);
            for (double &cell : cells)
                cell /= 1 + scale;
        }
    }
}
