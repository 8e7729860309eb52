/* A function, or a macro of its name, which calls it too. */
#include "observe.h"

static int depth;

static int enter(int n)
{
    depth += n;
    return depth;
}

#ifdef TRACE
#define enter(n) (depth++, enter((n) + 1))
#elif defined(QUIET)
#define enter(n) (0)
#else
#define enter(n) (enter((n) + 2))
#endif

int main(void)
{
    int x = input(0);
    int y = enter(x) + 1;
    int noise = 3;
    noise += y;
    observe(depth);
    observe(y);
    return 0;
}
