// The last object made is the first to go.
#include "observe.h"

static int trace = 0;

struct Mark {
    int id;
    explicit Mark(int i) : id(i) {}
    ~Mark() { trace = trace * 10 + id; }
};

static void work(int early)
{
    Mark one(1);
    int noise = 2;
    if (early > 5)
        return;
    Mark two(2);
    noise++;
}

int main()
{
    int unused = 4;
    work(input(0));
    work(input(1));
    unused++;
    observe(trace);
    observe(unused);
    return 0;
}
