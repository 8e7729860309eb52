// A member function that is called through a reference leaves its effect in the object.
#include "observe.h"
#include <vector>

struct Tally {
    int n;
    int other;
    void inc(int k) { n += k; }
    void spoil(int k) { other += k; }
};

static void go(Tally &tally, int k)
{
    tally.inc(k);
}

int main()
{
    Tally a{1, 2};
    std::vector<Tally> v(3);
    int k = input(0);
    int unused = input(1);
    go(a, 4);
    a.spoil(unused);
    auto &r = v[1];
    r.inc(k);
    for (Tally &each : v)
        each.inc(2);
    observe(a.n);
    observe(v[1].n);
    return 0;
}
