/* The new place has another name. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int *old = malloc(sizeof *old);
    int *bigger;
    int spare = 1;
    *old = input(0);
    bigger = realloc(old, 64 * sizeof *bigger);
    bigger[1] = spare;
    spare = 3;
    observe(bigger[0]);
    free(bigger);
    return 0;
}
