/* The initial value of a global is an address. */
#include "observe.h"

static int storage = 4;
static int spare = 5;
static int *where = &storage;
static int **there = &where;

int main(void)
{
    spare = 6;
    **there = input(0);
    observe(storage);
    return 0;
}
