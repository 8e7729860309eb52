/* Each level of the recursion has an array of its own. */
#include "observe.h"

static int level(int n)
{
    int mine[2];
    int noise = n;
    mine[0] = n;
    mine[1] = n > 0 ? level(n - 1) : 1;
    noise = noise + mine[0];
    return mine[0] + mine[1];
}

int main(void)
{
    observe(level(input(0)));
    return 0;
}
