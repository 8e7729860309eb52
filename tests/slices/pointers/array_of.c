/* An array of pointers. */
#include "observe.h"

int main(void)
{
    int a = 1;
    int b = 2;
    int c = 3;
    int *all[3];
    int i;
    all[0] = &a;
    all[1] = &b;
    all[2] = &c;
    for (i = 0; i < 2; i++)
        *all[i] = input(i);
    observe(b);
    observe(c);
    return 0;
}
