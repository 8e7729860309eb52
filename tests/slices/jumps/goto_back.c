/* A loop made of a goto. */
#include "observe.h"

int main(void)
{
    int i = 0;
    int sum = 0;
    int noise = 0;
again:
    sum += input(i);
    noise -= sum;
    i++;
    if (i < 5)
        goto again;
    noise = 0;
    observe(sum);
    return 0;
}
