/* A value that is written over before anybody reads it. */
#include "observe.h"

int main(void)
{
    int x = input(0);
    int *p = &x;
    *p = 1;
    *p = 2;
    x = input(1);
    observe(x);
    return 0;
}
