/* A function returns a function. */
#include "observe.h"

static int up(int n)
{
    return n + 1;
}

static int down(int n)
{
    return n - 1;
}

typedef int (*step)(int);

static step choose(int which)
{
    if (which > 4)
        return up;
    return down;
}

int main(void)
{
    step s = choose(input(0));
    step t = choose(1);
    t(4);
    observe(s(10));
    return 0;
}
