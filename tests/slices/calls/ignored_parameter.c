/* A parameter that decides nothing. */
#include "observe.h"

static int pick(int wanted, int ignored)
{
    ignored = ignored + 1;
    return wanted - 1;
}

int main(void)
{
    int a = input(0);
    int b = input(1);
    b = b * 2;
    observe(pick(a, b));
    return 0;
}
