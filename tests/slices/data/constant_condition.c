/* A branch that is never taken. */
#include "observe.h"

int main(void)
{
    int x = input(0);
    int debug = 0;
    if (debug)
        x = 100;
    if (x > 4)
        debug = 1;
    observe(x);
    return 0;
}
