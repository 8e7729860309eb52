/* A function that allocates for others. */
#include "observe.h"
#include <stdlib.h>

static int allocations;

static int *make(int value)
{
    int *p = malloc(sizeof *p);
    allocations++;
    *p = value;
    return p;
}

int main(void)
{
    int *a = make(input(0));
    int *b = make(input(1));
    *b = 40;
    observe(*a);
    observe(allocations);
    free(a);
    free(b);
    return 0;
}
