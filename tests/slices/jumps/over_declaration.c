/* A jump over a declaration in the same block. */
#include "observe.h"

int main(void)
{
    int x = 2;
    if (input(0) > 5)
        goto out;
    {
        int y = 3;
        x = x * y;
        y = 0;
    }
out:
    observe(x);
    return 0;
}
