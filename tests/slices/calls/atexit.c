/* What runs after main. */
#include "observe.h"
#include <stdlib.h>

static int result;
static int spare;

static void report(void)
{
    observe(result);
}

int main(void)
{
    atexit(report);
    spare = 3;
    result = input(0) + 1;
    spare = result;
    return 0;
}
