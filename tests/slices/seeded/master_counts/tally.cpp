#include "farm.hpp"

Tally::Tally(int size) : workers_(size), gone_(0), sum_(0) /* BUG: the master is no worker */
{
}

void Tally::add(double value)
{
    sum_ += value;
}
