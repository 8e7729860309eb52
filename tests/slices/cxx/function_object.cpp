// An object is called like a function.
#include "observe.h"

struct Adder {
    int by;
    int calls;
    int operator()(int x)
    {
        calls++;
        return x + by;
    }
};

int main()
{
    Adder add;
    add.by = input(0);
    add.calls = 0;
    int noise = 1;
    int r = add(input(1));
    r = add(r);
    noise += 5;
    observe(r);
    observe(add.calls);
    observe(noise);
    return 0;
}
