/* Before and after. */
#include "observe.h"

int main(void)
{
    int i = input(0);
    int a;
    int b;
    int data[3] = {7, 8, 9};
    int *p = data;
    a = i++;
    b = ++i;
    a = a + *p++;
    b = b - *p;
    observe(a);
    observe(b);
    return 0;
}
