// Default arguments that call functions, read variables, make objects.
#include "observe.h"

static int next = 1;
static int base = 2;

static int count()
{
    next += 3;
    return next;
}

struct A {
    int n;
    A(int start = count()) : n(start) {}
    int plus(int by = base) { return n + by; }
};

static int given(int a, int b = count())
{
    return a * b;
}

static int object(A a = A())
{
    return a.n;
}

int main()
{
    int unused = 3;
    base = input(0);
    int x = given(input(1));
    observe(x);
    observe(next);
    A a;
    observe(a.n);
    observe(a.plus());
    observe(object());
    unused++;
    return 0;
}
