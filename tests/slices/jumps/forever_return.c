/* A loop without a condition, left by a return. */
#include "observe.h"

static int count(int limit)
{
    int n = 0;
    int noise = 1;
    for (;;) {
        n++;
        noise += n;
        if (n * n > limit)
            return n;
    }
}

int main(void)
{
    observe(count(input(0) * 10));
    return 0;
}
