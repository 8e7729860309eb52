// What is handed on to functions of unknown types, which may take a value or a reference.
#include "observe.h"

template <class F, class... A> static auto all(F f, A &&...a)
{
    return f(a...);
}

template <class F, class... A> static auto as_given(F f, A &&...a)
{
    return f(static_cast<A &&>(a)...);
}

template <class F, class A> static void one(F f, A &&a)
{
    f(a);
}

template <class... A> static void by_name(A &&...a);

static int add(int &x, int by)
{
    x += by;
    return x;
}

static void put(int by, int *to, int &also)
{
    *to = by;
    also = by + 1;
}

static void set(int *to)
{
    *to = input(1);
}

template <class... A> static void by_name(A &&...a)
{
    put(a...);
}

int main()
{
    int x = input(2), y = input(3), z = 0, v = 0, w = 0, also = 0;
    int sum = all(add, x, 3);
    as_given(add, y, sum);
    int *to = &z;
    one(set, to);
    int *other = &v;
    by_name(input(4), other, w);
    int *third = &also;
    int many = 0;
    all(put, input(5), third, many);
    int noise = input(6);
    observe(x);
    observe(y);
    observe(z);
    observe(v);
    observe(w);
    observe(also);
    observe(many);
    observe(noise);
    return 0;
}
