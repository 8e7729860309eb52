/* A local hides the global for a while only. */
#include "observe.h"

int level = 2;

static int get(void)
{
    return level;
}

static int hide(int n)
{
    int level = n;
    level++;
    return level + get();
}

int main(void)
{
    int spare = hide(3);
    level = input(0);
    spare++;
    observe(get());
    return 0;
}
