/* Into the middle of a loop. */
#include "observe.h"

int main(void)
{
    int i = 3;
    int sum = 0;
    int noise = 2;
    if (input(0) > 4)
        goto middle;
    for (i = 0; i < 5; i++) {
        sum += 10;
    middle:
        sum += 1;
        noise *= 2;
    }
    noise = sum;
    observe(sum);
    return 0;
}
