/* Addresses among a variable number of arguments, of a call through a pointer. */
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

static void keep(int count, ...)
{
    (void)count;
}

int main(void)
{
    int a = 5;
    int b = 6;
    int c = input(0);
    void (*all)(int, ...) = input(1) > 100 ? keep : clear;
    all(2, &a, &b);
    observe(b);
    observe(c);
    return 0;
}
