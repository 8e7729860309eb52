/* A goto over an assignment. */
#include "observe.h"

int main(void)
{
    int x = 1;
    int noise = 5;
    if (input(0) > 4)
        goto skip;
    x = 2;
    noise = 6;
skip:
    noise++;
    observe(x);
    return 0;
}
