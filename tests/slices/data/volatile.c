/* A variable that the compiler may not forget. */
#include "observe.h"

static volatile int gate = 1;

int main(void)
{
    int n = input(0);
    int noise = 0;
    gate = n > 4;
    noise = 3;
    if (gate)
        observe(n);
    else
        observe(-n);
    noise++;
    return 0;
}
