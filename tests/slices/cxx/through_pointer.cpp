// Which object is meant decides what is read.
#include "observe.h"

struct Cell {
    int v;
    void set(int x) { v = x; }
    int get() { return v; }
};

int main()
{
    Cell a, b;
    Cell *p;
    int noise = 3;
    a.set(input(0));
    b.set(input(1) + 20);
    noise++;
    p = &a;
    if (input(2) > 4)
        p = &b;
    observe(p->get());
    observe(noise);
    return 0;
}
