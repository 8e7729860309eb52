#include "amr.hpp"

void Hierarchy::synchronise(const Level &level)
{
    double own = 0, sum = 0;
    for (double value : level.cells)
        own += value * level.h;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_);
    flux_.push_back(sum);
}

double Hierarchy::advance()
{
    flux_.clear();
    for (auto &level : levels_) {
        for (auto &value : level->cells)
            value -= 0.01 * level->h * value;
        synchronise(*level);
    }
    double total = 0;
    for (double each : flux_)
        total += each;
    return total;
}
