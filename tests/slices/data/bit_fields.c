/* Neighbours in one word. */
#include "observe.h"

struct flags {
    unsigned low : 3;
    unsigned high : 5;
    unsigned spare : 4;
};

int main(void)
{
    struct flags f = {0, 0, 0};
    f.low = (unsigned) input(0) & 7u;
    f.high = 9;
    f.spare = 2;
    f.high = (unsigned) input(1);
    observe(f.low);
    observe(f.high);
    return 0;
}
