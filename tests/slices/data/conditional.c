/* The conditional operator chooses between effects. */
#include "observe.h"

int main(void)
{
    int a = 1;
    int b = 2;
    int n = input(0);
    int noise = 3;
    n > 4 ? (a = 10) : (b = 20);
    noise = n > 2 ? noise : 4;
    observe(a);
    observe(b);
    return 0;
}
