/* A bare return keeps the rest from running. */
#include "observe.h"

static int result = 1;
static int spare;

static void work(int n)
{
    spare = n;
    if (n < 4)
        return;
    spare = 3;
    result = n;
}

int main(void)
{
    work(input(0));
    observe(result);
    return 0;
}
