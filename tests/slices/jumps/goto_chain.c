/* A goto that leads to a goto. */
#include "observe.h"

int main(void)
{
    int x = 0;
    int noise = 0;
    if (input(0) > 3)
        goto first;
    x = 1;
    goto end;
first:
    noise = 3;
    if (input(1) > 3)
        goto second;
    x = 2;
    goto end;
second:
    x = 3;
    noise = 4;
end:
    noise = 5;
    observe(x);
    return 0;
}
