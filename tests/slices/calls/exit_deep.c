/* The end of the program, two calls down. */
#include "observe.h"
#include <stdlib.h>

static int errors;

static void fail(int code)
{
    errors++;
    exit(code);
}

static void demand(int condition)
{
    if (!condition)
        fail(0);
}

int main(void)
{
    int a = input(0);
    int b = input(1);
    demand(a < 7);
    b = a + 1;
    observe(a);
    demand(b < 6);
    observe(3);
    return 0;
}
