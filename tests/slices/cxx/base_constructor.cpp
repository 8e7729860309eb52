// A base class is made before the class.
#include "observe.h"

struct Base {
    int b;
    int spare;
    Base(int x)
    {
        b = x * 2;
        spare = 1;
    }
};

struct Derived : Base {
    int d;
    Derived(int x) : Base(x + 1)
    {
        d = b + 3;
    }
};

int main()
{
    int k = input(0);
    int noise = 1;
    Derived x(k);
    noise += k;
    observe(x.d);
    observe(x.b);
    observe(noise);
    return 0;
}
