/* A value that travels through four variables, one per round. */
#include "observe.h"

int main(void)
{
    int a = input(0);
    int b = 0;
    int c = 0;
    int d = 0;
    int e = 5;
    int i;
    for (i = 0; i < input(1); i++) {
        d = c;
        c = b;
        b = a;
        e = d;
    }
    e = 1;
    observe(d);
    return 0;
}
