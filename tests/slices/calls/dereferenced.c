/* `(*f)(x)` and `f(x)` are the same call. */
#include "observe.h"

static int square(int n)
{
    int spare = n;
    spare = 0;
    return n * n;
}

int main(void)
{
    int (*f)(int) = square;
    int a = (*f)(input(0));
    int b = (**f)(input(1));
    b = b + 1;
    observe(a);
    return 0;
}
