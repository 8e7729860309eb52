/* `while (1)` with the end in the middle. */
#include "observe.h"

int main(void)
{
    int n = 0;
    int noise = 0;
    while (1) {
        n += 2;
        if (n > input(0))
            break;
        noise++;
        n += 1;
    }
    noise = 0;
    observe(n);
    return 0;
}
