// What a member function leaves in its object.
#include "observe.h"

struct Counter {
    int n;
    int other;
    void add(int k) { n += k; }
    void spoil(int k) { other += k; }
    int get() const { return n; }
};

int main()
{
    Counter c;
    c.n = 1;
    c.other = 2;
    int k = input(0);
    int unused = input(1);
    c.add(k);
    c.spoil(unused);
    observe(c.get());
    observe(c.other);
    return 0;
}
