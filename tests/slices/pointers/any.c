/* A pointer to void carries what it points to. */
#include "observe.h"

static void store(void *where, int value)
{
    int *p = where;
    *p = value;
}

int main(void)
{
    int a = 0;
    int b = 0;
    store(&a, input(0));
    store(&b, 8);
    observe(a);
    return 0;
}
