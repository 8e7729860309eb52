/* A loop variable hides another of its name. */
#include "observe.h"

int main(void)
{
    int i = input(0);
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += i;
    i = i + 1;
    observe(i);
    observe(sum);
    return 0;
}
