/* A pointer to one of two variables: both writes may matter. */
#include "observe.h"

int main(void)
{
    int a = 10;
    int b = 20;
    int c = 30;
    int *p;
    if (input(0) > 4)
        p = &a;
    else
        p = &b;
    c = 40;
    *p = 1;
    observe(a);
    observe(b + c);
    return 0;
}
