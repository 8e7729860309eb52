/* What one name promises not to change, another changes. */
#include "observe.h"

static int read_twice(const int *view, int *cell)
{
    int before = *view;
    *cell = before + 1;
    return *view;
}

int main(void)
{
    int x = input(0);
    int y = 50;
    int r = read_twice(&x, &x);
    y = read_twice(&y, &y);
    observe(r);
    return 0;
}
