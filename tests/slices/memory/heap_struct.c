/* A structure on the heap that points to another. */
#include "observe.h"
#include <stdlib.h>

struct inner {
    int value;
};

struct outer {
    struct inner *inner;
    int other;
};

int main(void)
{
    struct outer *o = malloc(sizeof *o);
    o->inner = malloc(sizeof *o->inner);
    o->other = 3;
    o->inner->value = input(0);
    o->other = o->inner->value + 1;
    observe(o->inner->value);
    free(o->inner);
    free(o);
    return 0;
}
