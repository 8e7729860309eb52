#include "swarm.h"

/* Everything starts in the middle: the last rank has nothing yet. */
void fill(swarm *s, int rank)
{
    int n = rank < 3 ? 10 + rank : 0;
    for (int i = 0; i < n; i++) {
        s->p[i].x = rank + i / 32.0;
        s->p[i].v = (i % 3 - 1) * 0.25;
    }
    s->count = n;
}
