/* An address that is kept in a global. */
#include "observe.h"

static int *kept;

static void keep(int *p)
{
    kept = p;
}

static void change(int value)
{
    *kept = value;
}

int main(void)
{
    int x = 1;
    int y = 2;
    keep(&x);
    y = 4;
    change(input(0) + y);
    y = 9;
    observe(x);
    return 0;
}
