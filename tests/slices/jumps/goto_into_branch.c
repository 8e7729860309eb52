/* Into the middle of a branch. */
#include "observe.h"

int main(void)
{
    int x = input(0);
    int y = 0;
    if (x == 3)
        goto inside;
    if (x > 6) {
        y = 5;
    inside:
        y = y + 1;
    }
    x = 0;
    observe(y);
    return 0;
}
