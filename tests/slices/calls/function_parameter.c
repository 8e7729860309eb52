/* A parameter that is written as a function is a pointer to one. */
#include "observe.h"

static int kept;

static int doubled(int x)
{
    kept = x;
    return 2 * x;
}

static int apply(int (f)(int), int x)
{
    return f(x);
}

static int apply_plain(int f(int), int x)
{
    return f(x) + 1;
}

static void each(void (visit)(int *), int *values, int count)
{
    int i;
    for (i = 0; i < count; i++)
        visit(&values[i]);
}

static void negate(int *value)
{
    *value = -*value;
}

int main(void)
{
    int values[3] = {1, 2, 3};
    int x = input(0);
    observe(apply(doubled, x));
    observe(kept);
    observe(apply_plain(doubled, x));
    each(negate, values, 3);
    observe(values[1]);
    return 0;
}
