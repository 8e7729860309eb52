/* A small inline function. */
#include "observe.h"

static inline int clamp(int n, int low, int high)
{
    if (n < low)
        return low;
    return n > high ? high : n;
}

int main(void)
{
    int n = input(0);
    int wide = clamp(n, 0, 100);
    int narrow = clamp(n, 3, 5);
    wide++;
    observe(narrow);
    return 0;
}
