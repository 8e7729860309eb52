/* The build chooses. */
#include "observe.h"

#define VERSION 2

#if VERSION > 1
static int scale(int n)
{
    int noise = n;
    noise++;
    return n * 10;
}
#else
static int scale(int n)
{
    return n;
}
#endif

int main(void)
{
    int x = input(0);
    int y = 4;
#ifdef NEVER_DEFINED
    x = y;
#endif
    y = scale(y);
    observe(scale(x));
    return 0;
}
