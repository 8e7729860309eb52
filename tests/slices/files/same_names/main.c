/* Static names that occur in two files. */
#include "observe.h"

int from_other(int n);

static int state = 1;

static int step(int n)
{
    state += n;
    return state;
}

int main(void)
{
    int a = step(input(0));
    int b = from_other(input(1));
    a = a + 1;
    observe(b);
    observe(a);
    return 0;
}
