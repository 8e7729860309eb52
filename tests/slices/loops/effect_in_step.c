/* All the work is in the header. */
#include "observe.h"

int main(void)
{
    int i;
    int sum = 0;
    int noise = 1;
    for (i = 0; i < 5; sum += input(i), i++)
        ;
    noise = sum;
    observe(sum);
    return 0;
}
