/* Whether a pointer is null decides. */
#include "observe.h"

int main(void)
{
    int x = 3;
    int noise = 0;
    int *p = 0;
    if (input(0) > 2)
        p = &x;
    noise = 5;
    if (p)
        observe(*p);
    else
        observe(-1);
    observe(noise);
    return 0;
}
