#include "amr.hpp"
#include <cmath>

Hierarchy::Hierarchy(MPI_Comm comm) : comm_(comm)
{
    MPI_Comm_rank(comm, &rank_);
    auto coarse = std::make_unique<Level>();
    coarse->id = 0;
    coarse->h = 1;
    for (int i = 0; i < 32; ++i)
        coarse->cells.push_back(std::tanh((i + 32 * rank_ - 70) / 2.0));
    levels_.push_back(std::move(coarse));
}

double Hierarchy::roughest(const Level &level) const
{
    double most = 0;
    for (std::size_t i = 1; i < level.cells.size(); ++i)
        most = std::fmax(most, std::fabs(level.cells[i] - level.cells[i - 1]));
    return most;
}

void Hierarchy::refine(double limit)
{
    while (depth() < 5 && roughest(*levels_.back()) > limit) { /* BUG: the roughest of all ranks */
        const Level &coarse = *levels_.back();
        auto fine = std::make_unique<Level>();
        fine->id = coarse.id + 1;
        fine->h = coarse.h / 2;
        for (double value : coarse.cells) {
            fine->cells.push_back(value);
            fine->cells.push_back(value * 0.99);
        }
        levels_.push_back(std::move(fine));
    }
}
