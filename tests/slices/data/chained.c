/* One value for three variables. */
#include "observe.h"

int main(void)
{
    int a = 1;
    int b = 2;
    int c = 3;
    int n = input(0);
    a = b = c = n;
    b = 4;
    n = 5;
    observe(a);
    observe(c);
    observe(b);
    return 0;
}
