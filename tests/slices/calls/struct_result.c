/* A structure comes back. */
#include "observe.h"

struct pair {
    int first;
    int second;
};

static struct pair make(int a, int b)
{
    struct pair p;
    p.first = a;
    p.second = b;
    return p;
}

int main(void)
{
    struct pair p = make(input(0), input(1));
    struct pair q = make(1, 2);
    q.first = 5;
    observe(p.first);
    return 0;
}
