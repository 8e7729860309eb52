/* A macro that names a variable of whoever uses it. */
#include "observe.h"

#if defined(A)
#define TRY(f) do { error = (f); } while (0)
#elif defined(B)
#define TRY(f) do { error = (f) + 0; } while (0)
#elif defined(C)
#define TRY(f) do { error |= (f); } while (0)
#elif defined(D)
#define TRY(f) do { error += (f); } while (0)
#else
#define TRY(f) do { error = 2 * (f); } while (0)
#endif

#if defined(A)
#define ADD(n) ((n) + base)
#else
#define ADD(n) sum((n), base)
#endif

static int sum(int a, int b)
{
    return a + b;
}

int main(void)
{
    int error = 0;
    int base = input(0);
    int noise = 5;
    int x;
    TRY(input(1));
    x = ADD(3);
    noise += x;
    observe(error);
    observe(x);
    return 0;
}
