/* A pointer that is an integer for a while. */
#include "observe.h"
#include <stdint.h>

int main(void)
{
    int x = 0;
    int y = 0;
    uintptr_t bits = (uintptr_t) &x;
    int *back;
    y = 3;
    back = (int *) bits;
    *back = input(0) + 1;
    observe(x);
    observe(y);
    return 0;
}
