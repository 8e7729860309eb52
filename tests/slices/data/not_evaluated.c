/* The operand of sizeof is not evaluated. */
#include "observe.h"

int main(void)
{
    int x = input(0);
    int noise = 3;
    long size = (long) sizeof(x++);
    noise = noise + (int) size;
    observe(x);
    observe(size);
    return 0;
}
