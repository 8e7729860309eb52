/* Two calls in a row, the second sees the first. */
#include "observe.h"

static int state = 1;

static int advance(int by)
{
    state = state + by;
    return state;
}

int main(void)
{
    int a;
    int b;
    a = advance(input(0));
    b = advance(10);
    a = 0;
    observe(b);
    observe(a);
    return 0;
}
