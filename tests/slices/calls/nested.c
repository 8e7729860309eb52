/* Calls in arguments of calls. */
#include "observe.h"

static int add(int a, int b)
{
    return a + b;
}

static int twice(int a)
{
    return add(a, a);
}

int main(void)
{
    int a = input(0);
    int b = 4;
    int c = 5;
    c = twice(b);
    observe(add(twice(a), add(b, 1)));
    return 0;
}
