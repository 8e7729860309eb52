// Copies are counted.
#include "observe.h"

static int copies = 0;

struct Copied {
    int v;
    Copied(int x) : v(x) {}
    Copied(const Copied &o)
    {
        v = o.v;
        copies++;
    }
};

static int take(Copied c)
{
    return c.v;
}

int main()
{
    Copied a(input(0));
    int noise = 1;
    Copied b = a;
    int r = take(b);
    noise++;
    observe(copies);
    observe(r);
    observe(noise);
    return 0;
}
