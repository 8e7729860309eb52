#include "flow.hpp"
#include <cmath>

double Burning::source(double value) const
{
    return rate_ * std::exp(-1 / value);
}
