/* The pointer is moved between two writes. */
#include "observe.h"

int main(void)
{
    int a = 0;
    int b = 0;
    int *p = &a;
    *p = input(0);
    p = &b;
    *p = input(1);
    observe(a);
    observe(b);
    return 0;
}
