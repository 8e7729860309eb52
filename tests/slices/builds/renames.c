/* One name for another, which the build chooses. */
#include "observe.h"

static int state;

static int fast(int n)
{
    state = n;
    return n + 1;
}

static int slow(int n)
{
    state = 2 * n;
    return n + 2;
}

#ifdef FAST
#define RUN fast
#else
#define RUN slow
#endif

int main(void)
{
    int x = input(0);
    int noise = 4;
    int y = RUN(x) + 1;
    noise += y;
    observe(state);
    observe(y);
    return 0;
}
