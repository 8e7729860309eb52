/* Many objects out of one block. */
#include "observe.h"

static char arena[64];
static unsigned long next;

static void *take(unsigned long bytes)
{
    void *p = arena + next;
    next += (bytes + 7) / 8 * 8;
    return p;
}

int main(void)
{
    int *a = take(sizeof *a);
    int *b = take(sizeof *b);
    *a = input(0);
    *b = input(1);
    *b += 4;
    observe(*a);
    return 0;
}
