/* A macro that ends the program. */
#include "observe.h"
#include <stdlib.h>

static void stop(int n)
{
    observe(n);
    exit(0);
}

#if defined(A)
#define REQUIRE(c) do { if (!(c)) abort(); } while (0)
#elif defined(B)
#define REQUIRE(c) do { if (!(c)) exit(1); } while (0)
#elif defined(C)
#define REQUIRE(c) do { (void) (c); } while (0)
#elif defined(D)
#define REQUIRE(c) do { if (!(c)) stop(1); } while (0)
#else
#define REQUIRE(c) do { if (!(c)) stop(2); } while (0)
#endif

int main(void)
{
    int x = input(0);
    int noise = input(1);
    REQUIRE(x > 4);
    noise++;
    observe(x);
    return 0;
}
