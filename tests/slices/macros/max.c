/* A macro that evaluates an argument twice. */
#include "observe.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static int calls;

static int next(int n)
{
    calls++;
    return n + calls;
}

int main(void)
{
    int x = MAX(next(input(0)), 3);
    int noise = MAX(x, 5);
    noise++;
    observe(x);
    observe(calls);
    return 0;
}
