/* A macro whose value comes out of functions, another one in each build. */
#include "observe.h"

static int calls;

static int twice(int n)
{
    calls++;
    return n * 2;
}

static int thrice(int n)
{
    return n * 3;
}

#ifdef SLOW
#define TIMES(n) thrice(n)
#else
#define TIMES(n) twice(n)
#endif

int main(void)
{
    int x = input(0);
    int y = input(1);
    int noise = 1;
    int a = TIMES(x) + 1;
    int b = TIMES(y) + noise;
    noise = TIMES(b);
    observe(a);
    observe(calls);
    return 0;
}
