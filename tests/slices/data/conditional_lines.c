/* The arms of a conditional expression on lines of their own. */
#include "observe.h"

int main(void)
{
    int n = input(0);
    int a = 3;
    int b = 4;
    int x;
    x = n > 4
            ? a + n
            : b - n;
    a = 0;
    observe(x);
    return 0;
}
