#include "iterate.hpp"

void Control::see(double own, double all)
{
    ++rounds_;
    last_ = all;
    if (own > 0.9 * before_) /* BUG: what all have tells whether it gets better */
        ++slow_;
    before_ = own;
    if (slow_ == 3) {
        bound_ *= 100;
        slow_ = 0;
    }
}
