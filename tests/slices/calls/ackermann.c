/* A call in the argument of the same function. */
#include "observe.h"

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
    int noise = ackermann(1, 1);
    noise++;
    observe(ackermann(2, input(0) % 4));
    return 0;
}
