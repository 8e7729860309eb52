#include "cycle.hpp"

static double restricted(double residual, int smooth)
{
    for (int i = 0; i < smooth; ++i)
        residual *= 0.8;
    return residual;
}

double cycle(int levels, int smooth, double residual, MPI_Comm comm)
{
    for (int level = 0; level < levels; ++level) {
        double own = restricted(residual, smooth);
        MPI_Allreduce(&own, &residual, 1, MPI_DOUBLE, MPI_MAX, comm);
    }
    return residual;
}
