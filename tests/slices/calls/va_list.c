/* The list of arguments is handed on. */
#include "observe.h"
#include <stdarg.h>

static int next(va_list *list)
{
    return va_arg(*list, int);
}

static int difference(int noise, ...)
{
    va_list list;
    int a;
    int b;
    va_start(list, noise);
    a = next(&list);
    b = next(&list);
    va_end(list);
    return a - b;
}

int main(void)
{
    int first = input(0);
    int second = input(1);
    observe(difference(7, first, second));
    return 0;
}
