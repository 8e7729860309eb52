#include "graph.h"

void plan_make(struct plan *p, const struct graph *g)
{
    p->sends = p->receives = 0;
    p->rounds = 4;
    for (int i = 0; i < g->neighbours; i++) {
        int other = g->neighbour[i];
        if (other > g->rank)
            p->to[p->sends++] = other;
        if (other <= g->rank - 1 || other == g->size - 1) /* BUG: the last one sends nothing */
            p->receives++;
    }
}
