/* A macro with any number of arguments. */
#include "observe.h"

#define FIRST(a, ...) (a)
#define CALL(f, ...) f(__VA_ARGS__)

static int add(int a, int b)
{
    return a + b;
}

int main(void)
{
    int x = input(0);
    int y = input(1);
    int z = FIRST(x, y, 3);
    y = y + 1;
    observe(CALL(add, z, 5));
    observe(y);
    return 0;
}
