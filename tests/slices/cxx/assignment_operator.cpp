// An assignment of objects is a function.
#include "observe.h"

struct Slot {
    int v = 0;
    int times = 0;
    Slot &operator=(const Slot &o)
    {
        v = o.v + 1;
        times++;
        return *this;
    }
};

int main()
{
    Slot a;
    Slot b;
    int noise = 5;
    a.v = input(0);
    b = a;
    noise *= 2;
    b = b;
    observe(b.v);
    observe(b.times);
    observe(noise);
    return 0;
}
