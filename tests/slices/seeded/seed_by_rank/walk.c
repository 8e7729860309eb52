#include "sim.h"

void walk_on(struct walk *w)
{
    long way = (w->at * 1103515245 + 12345) & 1023;
    w->at += way % 3 - 1;
    w->steps++;
}

int worth_a_swap(const struct walk *w)
{
    if (w->steps < 5)
        return 0;
    return dice(6) < 2;
}
