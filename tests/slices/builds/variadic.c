/* A macro with any number of arguments. */
#include "observe.h"
#include <stdarg.h>

static int total;

static void add(int count, ...)
{
    va_list list;
    int i;
    va_start(list, count);
    for (i = 0; i < count; i++)
        total += va_arg(list, int);
    va_end(list);
}

#if defined(A)
#define ADD(count, ...) do { add(count, __VA_ARGS__); } while (0)
#elif defined(B)
#define ADD(count, ...) do { add((count), __VA_ARGS__); add(0, 0); } while (0)
#elif defined(C)
#define ADD(count, ...) do { if (count) add(count, __VA_ARGS__); } while (0)
#elif defined(D)
#define ADD(count, ...) do { int c_ = (count); add(c_, __VA_ARGS__); } while (0)
#else
#define ADD(count, ...) do { const int n_ = (count); add(n_, __VA_ARGS__); } while (0)
#endif

int main(void)
{
    int x = input(0);
    int y = input(1);
    int noise = 3;
    ADD(2, x, y + 1);
    noise++;
    ADD(1, 5);
    observe(total);
    return 0;
}
