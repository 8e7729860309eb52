// A reference is another name.
#include "observe.h"

static void raise(int &x, int by)
{
    x += by;
}

static int &choose(int &a, int &b, int which)
{
    if (which > 4)
        return a;
    return b;
}

int main()
{
    int a = 1;
    int b = 2;
    int c = 3;
    int &r = a;
    r = input(0);
    raise(b, input(1));
    choose(a, b, input(2)) = 50;
    c += 4;
    observe(a);
    observe(b);
    observe(c);
    return 0;
}
