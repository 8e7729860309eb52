/* A copy that the callee changes is no change of the caller's. */
#include "observe.h"

struct pair {
    int first;
    int second;
};

static int spoil(struct pair p)
{
    p.first = 100;
    return p.second;
}

int main(void)
{
    struct pair p;
    int r;
    p.first = input(0);
    p.second = input(1);
    r = spoil(p);
    observe(p.first);
    observe(r);
    return 0;
}
