/* What a call does besides returning. */
#include "observe.h"

static int counter = 1;
static int log_entries;

static int next(void)
{
    counter = counter * 2;
    log_entries++;
    return counter;
}

int main(void)
{
    int a = next();
    next();
    if (input(0) > 5)
        next();
    a = a + 1;
    observe(counter);
    return 0;
}
