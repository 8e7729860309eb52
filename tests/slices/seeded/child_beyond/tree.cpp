#include "tree.hpp"

bool Tree::sends_at(int step) const
{
    return rank_ % (2 * step) == step;
}

bool Tree::receives_at(int step) const
{
    int child = rank_ + step;
    return rank_ % (2 * step) == 0 && child <= members_; /* BUG: one behind the last member */
}
