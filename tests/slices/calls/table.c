/* A table of functions. */
#include "observe.h"

static int zero(int n)
{
    return n * 0;
}

static int one(int n)
{
    return n + 1;
}

static int two(int n)
{
    return n + 2;
}

static int (*const table[3])(int) = {
    zero,
    one,
    two,
};

int main(void)
{
    int which = input(0) % 3;
    int noise = one(4);
    noise = two(noise);
    observe(table[which](10));
    return 0;
}
