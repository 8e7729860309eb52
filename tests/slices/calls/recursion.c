/* A function that calls itself. */
#include "observe.h"

static int depth;

static int factorial(int n)
{
    depth++;
    if (n <= 1)
        return 1;
    return n * factorial(n - 1);
}

int main(void)
{
    observe(factorial(input(0)));
    observe(depth);
    return 0;
}
