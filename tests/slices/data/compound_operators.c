/* Operators that read what they write. */
#include "observe.h"

int main(void)
{
    int x = input(0);
    int y = 6;
    int z = 1;
    x += 3;
    x *= y;
    y -= 2;
    x ^= 5;
    z |= x;
    x %= 7;
    z <<= 2;
    observe(x);
    return 0;
}
