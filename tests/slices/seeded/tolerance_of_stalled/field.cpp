#include "iterate.hpp"
#include <cmath>

Field::Field(int rank, int size, int n) : rank_(rank), size_(size), values_(n + 2), next_(n + 2)
{
    for (int i = 0; i <= n + 1; ++i)
        values_[i] = (rank_ + 1) * std::sin(0.2 * i * (rank_ + 1));
}

double Field::sweep()
{
    double change = 0;
    for (std::size_t i = 1; i + 1 < values_.size(); ++i) {
        next_[i] = 0.5 * values_[i] + 0.24 * (values_[i - 1] + values_[i + 1]);
        change = std::fmax(change, std::fabs(next_[i] - values_[i]));
    }
    values_.swap(next_);
    return change;
}
