/* A macro that allocates. */
#include "observe.h"
#include <stdlib.h>

#ifdef TRACKED
static void *tracked(size_t size)
{
    return calloc(size, 1);
}
#define NEW(type, count) ((type *) tracked(sizeof(type) * (count)))
#else
#define NEW(type, count) ((type *) malloc(sizeof(type) * (count)))
#endif

int main(void)
{
    int *a = NEW(int, 3);
    int *b = NEW(int, 3);
    a[0] = input(0);
    b[0] = input(1);
    a[1] = a[0] + 1;
    b[1] = 7;
    observe(a[1]);
    free(a);
    free(b);
    return 0;
}
