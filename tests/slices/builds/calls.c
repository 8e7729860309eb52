/* A macro that calls what it is given. */
#include "observe.h"

static int seen;

static int first(int n)
{
    seen = n;
    return n + 1;
}

static int second(int n)
{
    return n + 2;
}

#if defined(A)
#define APPLY(f, n) ((f)(n))
#else
#define APPLY(f, n) (f(n) + 0)
#endif

int main(void)
{
    int (*f)(int) = input(0) > 4 ? first : second;
    int x = APPLY(f, input(1));
    int noise = APPLY(second, x);
    noise++;
    observe(x);
    observe(seen);
    return 0;
}
