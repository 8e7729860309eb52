/* A loop that is entered in two places. */
#include "observe.h"

int main(void)
{
    int i = 0;
    int a = 0;
    int b = 0;
    if (input(0) > 4)
        goto second;
first:
    a++;
second:
    b++;
    i++;
    if (i < 4)
        goto first;
    observe(a);
    observe(b);
    return 0;
}
