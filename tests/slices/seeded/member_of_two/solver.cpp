#include "solver.hpp"
#include <algorithm>
#include <cmath>

Solver::Solver(Field &field, double tolerance, int check_every)
    : field_(field), tolerance_(tolerance), check_every_(check_every)
{
}

void Solver::sweep()
{
    double change = 0;
    for (int i = 0; i < field_.size(); i++) {
        double next = 0.5 * (field_[i - 1] + field_[i + 1]) + 1e-3 * (i + 1) * (field_.rank() + 1);
        change = std::max(change, std::fabs(next - field_[i]));
        field_[i] = next;
    }
    local_change_ = change;
}

void Solver::measure()
{
    if (iterations_ % check_every_ == 0)
        MPI_Allreduce(&local_change_, &global_change_, 1, MPI_DOUBLE, MPI_MAX, field_.comm());
}

bool Solver::converged() const
{
    return local_change_ < tolerance_; /* BUG: global_change_ */
}

void Solver::run()
{
    while (!converged()) {
        field_.exchange();
        sweep();
        ++iterations_;
        measure();
    }
}
