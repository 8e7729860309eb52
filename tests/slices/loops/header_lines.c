/* A header over several lines. */
#include "observe.h"

int main(void)
{
    int i;
    int sum = 0;
    int steps = 0;
    for (i = input(0),
             sum = 1;
         i < 20;
         i += 3,
             steps++)
        sum += i;
    steps = sum;
    observe(sum);
    return 0;
}
