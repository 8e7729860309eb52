/* Addresses among a variable number of arguments. */
#include "observe.h"
#include <stdarg.h>

static void clear(int count, ...)
{
    va_list list;
    int i;
    va_start(list, count);
    for (i = 0; i < count; i++) {
        int *p = va_arg(list, int *);
        *p = i;
    }
    va_end(list);
}

int main(void)
{
    int a = 5;
    int b = 6;
    int c = input(0);
    clear(2, &a, &b);
    observe(b);
    observe(c);
    return 0;
}
