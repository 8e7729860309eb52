// Objects of many classes are called by one template: with default arguments, open ends, and overloads.
#include "observe.h"

struct Adder {
    int sum;
    int operator()(int x) { return sum += x; }
};

struct Scaler {
    int factor;
    int operator()(int x, int by = 2, int more = 1);
};

int Scaler::operator()(int x, int by, int more)
{
    factor += by;
    return x * factor + more;
}

struct Open {
    int seen;
    int operator()(int x, ...)
    {
        seen += x;
        return seen;
    }
};

struct Both {
    int one, two;
    int operator()(int x) { return one = x; }
    int operator()(int x, int y) { return two = x - y; }
};

static int step;

template <class F> static int once(F &f, int x)
{
    return f(x);
}

template <class F> static int twice(F &f, int x, int y)
{
    return f(x, y);
}

template <class F, class... All> static int with(F &f, All... all)
{
    return f(all...);
}

int main()
{
    Adder add = {1};
    Scaler scale = {3};
    Open open = {2};
    Both both = {0, 0};
    auto kept = [](int a, int b = step + 3) { return a * b; };
    step = input(1) + 4;
    int noise = input(2);
    int a = once(add, input(0));
    int b = once(scale, a);
    int c = twice(scale, b, input(1));
    int d = twice(open, c, noise);
    int e = with(scale, d, 4, 5);
    noise += 3;
    int last = once(kept, e) + twice(kept, e, 3) + kept(b);
    once(both, e);
    twice(both, e, a);
    observe(last);
    observe(add.sum + scale.factor);
    observe(open.seen);
    observe(both.one - both.two);
    observe(noise);
    return 0;
}
