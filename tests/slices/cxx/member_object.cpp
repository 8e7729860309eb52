// An object in an object.
#include "observe.h"

struct Inner {
    int v;
    Inner() { v = 3; }
    void twice() { v *= 2; }
};

struct Outer {
    Inner inner;
    int extra = 0;
    void work(int k)
    {
        inner.twice();
        inner.v += k;
        extra++;
    }
};

int main()
{
    Outer o;
    int noise = 2;
    o.work(input(0));
    noise += 3;
    observe(o.inner.v);
    observe(o.extra);
    observe(noise);
    return 0;
}
