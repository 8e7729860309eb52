/* A callee overwrites what was set before. */
#include "observe.h"

static int mode;

static void reset(void)
{
    mode = 0;
}

static void set(int n)
{
    mode = n;
}

int main(void)
{
    set(4);
    reset();
    if (input(0) > 3)
        set(input(1));
    observe(mode);
    return 0;
}
