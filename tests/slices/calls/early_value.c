/* Which of several returns is taken. */
#include "observe.h"

static int classify(int n)
{
    int noise = n;
    if (n < 3)
        return 1;
    noise = 2;
    if (n < 6)
        return noise;
    return 3;
}

int main(void)
{
    observe(classify(input(0)));
    return 0;
}
