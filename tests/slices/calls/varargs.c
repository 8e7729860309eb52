/* A variable number of arguments. */
#include "observe.h"
#include <stdarg.h>

static int sum(int count, ...)
{
    va_list list;
    int total = 0;
    int i;
    va_start(list, count);
    for (i = 0; i < count; i++)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

int main(void)
{
    int a = input(0);
    int b = input(1);
    int c = 3;
    c = c * b;
    observe(sum(2, a, b));
    return 0;
}
