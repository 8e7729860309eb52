/* The comma operator. */
#include "observe.h"

int main(void)
{
    int a = input(0);
    int b = 1;
    int c;
    int d = 2;
    c = (b = a + 1, b * 2);
    d = (a++, d);
    observe(c);
    observe(a);
    return 0;
}
