/* Two functions that call each other. */
#include "observe.h"

static int odd(int n);
static int steps;

static int even(int n)
{
    steps += 2;
    if (n == 0)
        return 1;
    return odd(n - 1);
}

static int odd(int n)
{
    steps -= 1;
    if (n == 0)
        return 0;
    return even(n - 1);
}

int main(void)
{
    observe(even(input(0)));
    observe(steps);
    return 0;
}
