#include "flow.hpp"
#include <cmath>

Column::Column(const Model &model, int rank) : model_(model), rank_(rank), value_(20)
{
    for (std::size_t i = 0; i < value_.size(); ++i)
        value_[i] = 1 + 0.1 * i + (rank == 1 && i == 7 ? 60 : 0);
}

double Column::newton(double guess, double dt) const
{
    double value = guess;
    for (int turn = 0; turn < 20; ++turn) {
        double next = guess + dt * model_.source(value) - 0.02 * value * value;
        if (std::fabs(next - value) < 1e-9)
            return next;
        value = next;
    }
    if (std::fabs(value) > 50)
        throw Diverged("column " + std::to_string(rank_)); /* BUG: all ranks have to know */
    return value;
}

void Column::implicit(double dt)
{
    for (auto &each : value_)
        each = newton(each, dt);
}

void Column::share(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    std::vector<double> tops(size);
    double own = top();
    MPI_Allgather(&own, 1, MPI_DOUBLE, tops.data(), 1, MPI_DOUBLE, comm);
    for (double each : tops)
        value_[0] += 0.01 * each / size;
}
