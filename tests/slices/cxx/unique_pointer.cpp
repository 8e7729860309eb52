// The library makes an object and ends it.
#include <memory>
#include "observe.h"

static int alive = 0;

struct Thing {
    int v;
    Thing(int x) : v(x) { alive++; }
    ~Thing() { alive--; }
    void grow(int k) { v += k; }
};

int main()
{
    int noise = 0;
    {
        auto p = std::make_unique<Thing>(input(0));
        p->grow(3);
        observe(p->v);
        observe(alive);
        noise++;
    }
    observe(alive);
    observe(noise);
    return 0;
}
