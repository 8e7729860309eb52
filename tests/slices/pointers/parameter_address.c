/* The address of a parameter. */
#include "observe.h"

static void raise(int *p)
{
    *p += 10;
}

static int twice(int n, int m)
{
    raise(&n);
    m = 0;
    return n * 2 + m;
}

int main(void)
{
    observe(twice(input(0), input(1)));
    return 0;
}
