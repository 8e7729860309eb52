/* An array parameter is a pointer. */
#include "observe.h"

static void set(int data[4], int at, int value)
{
    data[at] = value;
}

int main(void)
{
    int one[4] = {0, 0, 0, 0};
    int two[4] = {0, 0, 0, 0};
    set(one, 1, input(0));
    set(two, 1, input(1));
    set(one, 2, 7);
    observe(one[1]);
    return 0;
}
