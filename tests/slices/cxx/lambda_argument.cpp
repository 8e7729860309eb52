// A lambda is handed to a function of the program.
#include "observe.h"

template <class F> static int twice(F f, int x)
{
    int first = f(x);
    return f(first);
}

int main()
{
    int step = input(0);
    int noise = 2;
    int result = twice([&](int v) { return v + step; }, input(1));
    noise *= 3;
    observe(result);
    observe(noise);
    return 0;
}
