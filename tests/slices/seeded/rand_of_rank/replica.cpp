#include "temper.hpp"
#include <cmath>

Replica::Replica(int rank, double temperature) : engine_(42 + rank), spin_(256), temperature_(temperature)
{
    for (auto &each : spin_)
        each = draw() < 0.5 ? 1 : -1;
}

double Replica::energy() const
{
    double sum = 0;
    for (std::size_t i = 0; i < spin_.size(); ++i)
        sum -= spin_[i] * spin_[(i + 1) % spin_.size()];
    return sum;
}

void Replica::sweep()
{
    for (std::size_t i = 0; i < spin_.size(); ++i) {
        int around = spin_[(i + 1) % spin_.size()] + spin_[(i + spin_.size() - 1) % spin_.size()];
        double cost = 2.0 * spin_[i] * around;
        if (cost <= 0 || draw() < std::exp(-cost / temperature_))
            spin_[i] = -spin_[i];
    }
}
