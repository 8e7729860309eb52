#include "clock.hpp"

bool Clock::goes_on() const
{
    return now < end;
}

void Clock::advance(double step)
{
    // Sub-steps: each rank has as many as its cells ask for.
    for (int part = 0; part < parts; part++)
        now += step / parts; /* BUG: sums of parts differ by rounding */
}
