/* One name, three variables. */
#include "observe.h"

static int x = 1;

int main(void)
{
    int outside = x;
    int x = input(0);
    {
        int x = 50;
        x = x + 1;
        outside += x;
    }
    x = x + 2;
    observe(x);
    observe(outside);
    return 0;
}
