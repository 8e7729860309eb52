// Functions of one name in many classes: which of them a call means, the object's class tells.
#include "observe.h"

struct Base {
    int n = 1;
    virtual void step(int k) { n += k; }
    void twice(int k) { step(k); }
    virtual ~Base() {}
};
struct Middle : public Base {
};
struct Leaf : Middle {
    int extra = 0;
    void step(int k) override { n += 2 * k; extra = k; }
};
// Derives from none of these.
struct Other {
    int n = 5;
    void step(int k) { n -= k; }
    void twice(int k) { n *= k; }
    int operator()(int k) { n += k; return n; }
};
struct Caller {
    int sum = 0;
    int operator()(int k) { sum += k; return sum; }
};
struct Sum : Caller {
};
typedef Other Renamed;
template <class T> struct Holder {
    T held;
    void step(int k) { held.step(k); }
    T *operator->() { return &held; }
};
template <class Caller> int by_parameter(Caller &caller, int k)
{
    return caller(k);
}
struct Outer {
    static int count;
    static void step(int k) { count += k; }
    struct Inner {
        int n = 0;
        void run(int k) { step(k); n++; }
    };
    struct Later;
};
int Outer::count = 0;
struct Outer::Later {
    void run(int k) { step(k); }
};
struct Local : Base {
    void go(int k)
    {
        Local::mark(k);
        mark(k);
    }
    static int marked;
    static void mark(int k) { marked += k; }
};
int Local::marked = 0;
struct Marker {
    int m = 0;
    void mark(int k) { m += k; }
};
struct Owner {
    Middle middle;
    Other *other;
    Leaf leaves[2];
    void drive(int k)
    {
        middle.step(k);
        other->step(k);
        leaves[1].step(k);
        this->leaves[0].twice(k);
    }
};

static void through(Base &base, int k)
{
    base.step(k);
    base.twice(k);
}

int main()
{
    Leaf leaf;
    Middle middle;
    Other other;
    Renamed renamed;
    Holder<Leaf> holder;
    Sum sum;
    Marker marker;
    Outer::Inner inner;
    Outer::Later later;
    Local local;
    Owner owner;
    owner.other = &other;
    int a = input(0);
    int b = input(1);
    through(leaf, a);
    through(middle, b);
    other.twice(2);
    renamed.step(a);
    holder->step(a);
    holder.step(b);
    int r = sum(a);
    r += by_parameter(renamed, b);
    auto add = [&](int k) { r += k; return r; };
    auto take = [&](int k) { marker.m -= k; return k; };
    add(b);
    take(1);
    marker.mark(2);
    inner.run(a);
    later.run(b);
    local.go(a);
    owner.drive(b);
    observe(leaf.n);
    observe(leaf.extra);
    observe(middle.n);
    observe(other.n);
    observe(renamed.n);
    observe(holder.held.n);
    observe(sum.sum);
    observe(r);
    observe(marker.m);
    observe(inner.n);
    observe(Outer::count);
    observe(Local::marked);
    observe(owner.middle.n);
    observe(owner.leaves[0].n);
    observe(owner.leaves[1].extra);
    return 0;
}
