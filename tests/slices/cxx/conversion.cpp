// An object is turned into a number without a sign of it.
#include "observe.h"

struct Wrapped {
    int v;
    Wrapped(int x) { v = x + 1; }
    operator int() const { return v * 2; }
};

static int plain(Wrapped w)
{
    return w.v;
}

int main()
{
    Wrapped w(input(0));
    int noise = 2;
    int n = w;
    noise += 2;
    int m = plain(input(1));
    observe(n);
    observe(m);
    observe(noise);
    return 0;
}
