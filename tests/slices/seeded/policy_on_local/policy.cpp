#include "policy.hpp"

bool EveryN::wants(const State &state)
{
    return state.step % n_ == 0;
}

bool OnGrowth::wants(const State &state)
{
    if (state.particles <= last_ * factor_) /* BUG: the particles of one rank */
        return false;
    last_ = state.particles;
    return true;
}

std::unique_ptr<Policy> make_policy(bool adaptive)
{
    if (adaptive)
        return std::make_unique<OnGrowth>(1.5);
    return std::make_unique<EveryN>(4);
}
