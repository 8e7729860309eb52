/* A function that is given a function. */
#include "observe.h"

static int total;
static int calls;

static void each(int count, void (*visit)(int))
{
    int i;
    for (i = 0; i < count; i++)
        visit(i);
}

static void sum(int i)
{
    total += input(i);
    calls = calls + 1;
}

int main(void)
{
    each(4, sum);
    observe(total);
    observe(calls);
    return 0;
}
