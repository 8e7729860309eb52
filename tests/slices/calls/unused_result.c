/* Results that nobody takes, effects that matter. */
#include "observe.h"

static int sum;

static int add(int n)
{
    int old = sum;
    sum += n;
    return old;
}

int main(void)
{
    add(input(0));
    (void) add(2);
    sum = sum * 2;
    observe(sum);
    return 0;
}
