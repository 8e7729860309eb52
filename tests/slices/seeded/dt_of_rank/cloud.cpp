#include "sph.hpp"
#include <algorithm>
#include <cmath>

Cloud::Cloud(MPI_Comm comm, int each) : comm_(comm)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (int i = 0; i < each; ++i)
        parts_.push_back({rank_ + (i + 0.5) / each, (1 + 0.5 * rank_) * std::sin(i * 1.7 + rank_), 1.0 / each});
}

double Cloud::courant() const
{
    double least = 1;
    for (const auto &p : parts_)
        least = std::min(least, p.h / (0.1 + std::fabs(p.v)));
    return 0.3 * least;
}

void Cloud::push(double dt)
{
    for (auto &p : parts_) {
        p.x += dt * p.v;
        p.v *= 1 - 0.01 * dt;
        if (p.x < 0)
            p.x += size_;
        if (p.x >= size_)
            p.x -= size_;
    }
    time_ += dt;
}
