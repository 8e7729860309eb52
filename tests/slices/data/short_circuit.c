/* The right side may not be evaluated. */
#include "observe.h"

static int reached;
static int spare;

static int touch(int n)
{
    reached += n;
    spare = n;
    return n > 3;
}

int main(void)
{
    int a = input(0) > 4 && touch(2);
    int b = input(1) > 4 || touch(5);
    a = b;
    observe(reached);
    return 0;
}
