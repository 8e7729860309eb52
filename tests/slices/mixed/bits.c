/* Bits are set, cleared and tested. */
#include "observe.h"

int main(void)
{
    unsigned mask = 0;
    unsigned other = 0;
    int i;
    for (i = 0; i < 6; i++) {
        if (input(i) > 4)
            mask |= 1u << i;
        else
            other |= 1u << i;
    }
    mask &= ~1u;
    other ^= mask;
    observe((long) mask);
    return 0;
}
