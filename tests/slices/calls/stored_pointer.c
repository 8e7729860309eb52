/* A function's address goes through a global. */
#include "observe.h"

static int (*hook)(int);

static int triple(int n)
{
    return 3 * n;
}

static int negate(int n)
{
    return -n;
}

static void install(int which)
{
    hook = which ? triple : negate;
}

int main(void)
{
    install(1);
    install(input(0) > 4);
    observe(hook(input(1)));
    return 0;
}
