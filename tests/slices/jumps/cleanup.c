/* The usual ladder of clean-ups. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int status = 0;
    int step = 0;
    int *a = malloc(sizeof *a);
    int *b = 0;
    if (input(0) > 7)
        goto free_a;
    b = malloc(sizeof *b);
    step = 1;
    if (input(1) > 5)
        goto free_b;
    status = 1;
free_b:
    free(b);
    step = 3;
free_a:
    free(a);
    observe(status);
    observe(step);
    return 0;
}
