/* Two functions talk through a global. */
#include "observe.h"

static int current = 7;
static int previous;

static void move(int to)
{
    previous = current;
    current = to;
}

static int distance(void)
{
    return current - previous;
}

int main(void)
{
    int noise = distance();
    move(input(0));
    move(input(1));
    noise = 0;
    observe(distance());
    return 0;
}
