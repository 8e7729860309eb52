/* A case that does nothing but keep others from being run. */
#include "observe.h"

int main(void)
{
    int x = 3;
    int n = input(0);
    switch (n) {
    case 0:
    case 1:
    case 2:
        break;
    default:
        x = 5;
    }
    n = 0;
    observe(x);
    return 0;
}
