/* A value that arrives through a pointer. */
#include "observe.h"

int main(void)
{
    int x = input(0);
    int noise = 4;
    int *p = &x;
    noise = noise * 3;
    *p = *p + 2;
    noise++;
    observe(x);
    return 0;
}
