// A function that throws leaves out what comes after its call.
#include "observe.h"

static int total = 0;

static void need(int v)
{
    if (v < 5)
        throw 1;
}

static void step(int v)
{
    int noise = v;
    need(v);
    total += 10;
    noise++;
}

int main()
{
    for (int i = 0; i < 4; i++) {
        try {
            step(input(i));
        } catch (...) {
        }
    }
    observe(total);
    return 0;
}
