// Functions that take any number of arguments, and hand them on.
#include "observe.h"
#include <utility>

static int unused = 0;

template <class... A> int sum(A... all)
{
    unused++;
    return (0 + ... + all);
}

template <class... A> void keep(int &to, A &&...all)
{
    to = sum(std::forward<A>(all)...);
}

template <class T> T last(T only)
{
    return only;
}

template <class T, class... A> int last(T first, A... rest)
{
    unused += first;
    return last(rest...);
}

static int middle(int a, int b, int c)
{
    unused += a + c;
    return b;
}

template <class... A> int between(int end, A... all)
{
    return middle(all..., end);
}

struct Meter {
    int kept = 0;
    template <class... A> void operator()(A... all) { kept = last(all...); }
};

template <class F> void three(F &f, int x)
{
    f(1, 2, x);
}

template <class F, class... A> void call(F &f, A... all)
{
    f(0, all...);
}

template <class... A> void set(A &...all)
{
    ((all += 2), ...);
}

int main()
{
    int y = input(0);
    int z = input(1);
    int w = input(2);
    observe(sum(1, y));
    int m = 0;
    keep(m, 1, 2, z);
    observe(m);
    observe(last(1, 2, w));
    int b = input(3);
    observe(between(7, 1, b));
    Meter meter;
    int x = input(4);
    three(meter, x);
    observe(meter.kept);
    int v = input(5);
    call(meter, 1, v);
    observe(meter.kept);
    int p = input(0), q = input(1);
    set(p, q);
    observe(q);
    return 0;
}
