/* Functions of the library, called through pointers. */
#include "observe.h"
#include <stdlib.h>
#include <string.h>

int main(void)
{
    void *(*copy)(void *, const void *, size_t) = memcpy;
    void *(*get)(size_t) = &malloc;
    int from[2];
    int to[2] = {0, 0};
    int noise = 3;
    from[0] = input(0);
    from[1] = input(1);
    noise += from[0];
    int *made = get(2 * sizeof *made);
    made[0] = 5;
    made[1] = noise;
    copy(to, from, sizeof to);
    observe(to[1]);
    observe(made[0]);
    return 0;
}
