/* The same function called from two places, for two ends. */
#include "observe.h"

static int plus_one(int n)
{
    return n + 1;
}

int main(void)
{
    int a = input(0);
    int b = input(1);
    int x;
    int y;
    x = plus_one(a);
    y = plus_one(b);
    observe(x);
    y = 0;
    observe(y);
    return 0;
}
