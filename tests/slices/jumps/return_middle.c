/* A return in the middle of main. */
#include "observe.h"

int main(void)
{
    int n = input(0);
    int noise = 1;
    noise = noise + n;
    if (n > 5)
        return 0;
    noise = 2;
    observe(n);
    if (input(1) > 4)
        return 0;
    observe(noise);
    return 0;
}
