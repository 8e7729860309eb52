/* A name for a number. */
#include "observe.h"

#define LIMIT 6
#define SCALE (LIMIT / 2)

int main(void)
{
    int i;
    int x = 0;
    int noise = SCALE;
    for (i = 0; i < LIMIT; i++)
        x += input(i) * SCALE;
    noise -= LIMIT;
    observe(x);
    return 0;
}
