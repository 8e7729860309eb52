/* A macro that returns. */
#include "observe.h"

#define REQUIRE(condition)  \
    do {                    \
        if (!(condition))   \
            return -1;      \
    } while (0)

static int work(int n)
{
    int noise = 0;
    REQUIRE(n > 2);
    noise = n;
    REQUIRE(n < 8);
    noise++;
    return n * 2;
}

int main(void)
{
    observe(work(input(0)));
    return 0;
}
