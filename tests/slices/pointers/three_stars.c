/* Three levels of pointers. */
#include "observe.h"

int main(void)
{
    int value = 3;
    int other = 9;
    int *p = &other;
    int **pp = &p;
    int ***ppp = &pp;
    **ppp = &value;
    ***ppp = input(0) + 1;
    other = 5;
    observe(value);
    return 0;
}
