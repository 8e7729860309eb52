// Members of members are set through pointers and references to them, and copied with what they stand in.
#include "observe.h"
#include <cstring>

struct Inner {
    int b = 0, c = 0;
};
struct Mid {
    Inner in;
    int m = 0;
};
struct Outer {
    int z = 0;
    Mid mid;
    Inner arr[2];
};

static void set(int *p, int v)
{
    *p = v;
}

static void fill(Inner *q, int v)
{
    set(&q->b, v);
}

static void fill_ref(Inner &q, int v)
{
    int &r = q.c;
    r = v;
}

static int take(Inner x)
{
    return x.b + x.c;
}

int main()
{
    Outer s;
    fill(&s.mid.in, input(0));
    Inner copy = s.mid.in;
    observe(copy.b);
    Mid whole = s.mid;
    observe(whole.in.b);
    Outer t;
    fill_ref(t.mid.in, input(1));
    Outer u = t;
    observe(u.mid.in.c);
    Outer v;
    fill(&v.arr[1], input(2));
    observe(take(v.arr[1]));
    Outer w;
    Mid *m = &w.mid;
    fill_ref(m->in, input(3));
    Mid other;
    std::memcpy(&other, m, sizeof other);
    observe(other.in.c);
    Outer *heap = new Outer;
    fill(&heap->mid.in, input(4));
    Outer back;
    back = *heap;
    observe(back.mid.in.b);
    delete heap;
    return 0;
}
