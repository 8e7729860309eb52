// A function object of the library holds a lambda.
#include <functional>
#include "observe.h"

static int run_it(const std::function<int(int)> &f, int x)
{
    int r = f(x);
    return r;
}

int main()
{
    int k = input(0);
    int noise = 2;
    std::function<int(int)> f = [k](int x) { return x + k; };
    if (input(1) > 4)
        f = [](int x) { return x * 2; };
    noise += 2;
    observe(run_it(f, input(2)));
    observe(noise);
    return 0;
}
