/* Exchange through two pointers. */
#include "observe.h"

static void swap(int *x, int *y)
{
    int t = *x;
    *x = *y;
    *y = t;
}

int main(void)
{
    int a = input(0);
    int b = input(1) + 20;
    int c = 3;
    int d = 4;
    swap(&a, &b);
    swap(&c, &d);
    observe(a);
    observe(c);
    return 0;
}
