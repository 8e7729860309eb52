/* A loop that runs once. */
#include "observe.h"

int main(void)
{
    int x = 1;
    int noise = 0;
    do {
        x = 2;
        if (input(0) > 4)
            break;
        noise = 8;
        x = 3;
    } while (0);
    noise++;
    observe(x);
    return 0;
}
