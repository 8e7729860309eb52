#include "gas.h"
#include <math.h>

void gas_fill(struct gas *g)
{
    g->time = 0;
    for (int i = 0; i < CELLS + 2; i++) {
        double x = i + CELLS * g->rank;
        g->rho[i] = 1 + 0.2 * cos(0.1 * x);
        g->e[i] = 0.5 - (x > 120 && x < 124); /* BUG: energy must stay positive */
        g->v[i] = 0.01 * sin(0.05 * x);
    }
}
