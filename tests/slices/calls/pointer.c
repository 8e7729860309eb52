/* A call through a pointer. */
#include "observe.h"

static int add(int a, int b)
{
    return a + b;
}

static int subtract(int a, int b)
{
    return a - b;
}

int main(void)
{
    int (*operation)(int, int) = add;
    int unused = 3;
    if (input(0) > 3)
        operation = subtract;
    unused = subtract(unused, 1);
    observe(operation(input(1), 2));
    return 0;
}
