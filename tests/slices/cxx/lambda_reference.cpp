// A lambda changes what it captured by reference.
#include "observe.h"

int main()
{
    int sum = 0;
    int other = 0;
    auto add = [&sum](int k) { sum += k; };
    auto spoil = [&other](int k) { other -= k; };
    add(input(0));
    spoil(input(1));
    add(3);
    observe(sum);
    observe(other);
    return 0;
}
