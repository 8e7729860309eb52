// Members with initial values of their own.
#include "observe.h"

static int made = 1;
static int unused = 0;

static int number()
{
    made += 2;
    return made;
}

struct A {
    int n = number();
    int other = 3;
    int fixed = 5;
    A() { unused++; }
};

struct B {
    int k = 4;
    A inside{};
    int *p = &made;
};

struct C : B {
    int more{number()};
    C(int n) : more(n) {}
    C() = default;
};

int main()
{
    A a;
    a.other = input(0);
    observe(a.n);
    observe(a.fixed);
    B b;
    *b.p = input(1);
    observe(b.k);
    observe(b.inside.n);
    observe(made);
    C c;
    C d(7);
    observe(c.more);
    observe(d.more + d.k);
    observe(made);
    return 0;
}
