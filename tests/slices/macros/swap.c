/* A macro that assigns twice. */
#include "observe.h"

#define SWAP(a, b)   \
    do {             \
        int t_ = (a); \
        (a) = (b);   \
        (b) = t_;    \
    } while (0)

int main(void)
{
    int x = input(0);
    int y = input(1) + 10;
    int z = 3;
    SWAP(x, y);
    SWAP(z, y);
    observe(x);
    observe(z);
    return 0;
}
