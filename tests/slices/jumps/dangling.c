/* Branches without braces. */
#include "observe.h"

int main(void)
{
    int x = 5;
    int y = 0;
    if (input(0) > 2)
        if (input(1) > 4)
            x = 1;
        else
            y = 2;
    else
        x = 3;
    y++;
    observe(x);
    return 0;
}
