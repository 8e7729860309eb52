/* A call that does not come back. */
#include "observe.h"
#include <stdlib.h>

static void check(int n)
{
    if (n > 6)
        exit(0);
}

int main(void)
{
    int noise = 3;
    check(input(0));
    noise = noise + 1;
    observe(1);
    check(input(1));
    observe(2);
    return 0;
}
