/* A cell is freed; its value lives on in a copy. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    int kept;
    int noise = 0;
    *p = input(0);
    kept = *p;
    *p = 4;
    noise = *p;
    free(p);
    p = &noise;
    *p = 8;
    observe(kept);
    observe(noise);
    return 0;
}
