/* A pointer to a pointer chooses what is written. */
#include "observe.h"

int main(void)
{
    int a = 1;
    int b = 2;
    int *p = &a;
    int **pp = &p;
    *pp = &b;
    *p = input(1);
    a = 7;
    observe(b);
    observe(a);
    return 0;
}
