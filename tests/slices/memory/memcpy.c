/* A block is copied. */
#include "observe.h"
#include <string.h>

int main(void)
{
    int from[3];
    int to[3] = {0, 0, 0};
    int noise = 1;
    from[0] = input(0);
    from[1] = input(1);
    from[2] = 2;
    memcpy(to, from, sizeof from);
    from[0] = 50;
    noise = to[2];
    observe(to[0]);
    return 0;
}
