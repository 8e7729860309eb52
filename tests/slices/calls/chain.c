/* A value goes down four calls and comes back. */
#include "observe.h"

static int bottom(int n)
{
    return n * 3;
}

static int third(int n, int m)
{
    m = n;
    return bottom(n) + 1;
}

static int second(int n)
{
    int spare = n;
    spare--;
    return third(n, spare) + 1;
}

static int first(int n)
{
    return second(n + 1);
}

int main(void)
{
    observe(first(input(0)));
    return 0;
}
