#include "gas.h"
#include <math.h>

double gas_sound(const struct gas *g, int i)
{
    return sqrt(1.4 * 0.4 * g->e[i]) + fabs(g->v[i]);
}

double gas_dt(const struct gas *g)
{
    double speed = 0;
    for (int i = 1; i <= CELLS; i++) {
        double c = gas_sound(g, i);
        speed += c;
    }
    return 0.4 * CELLS / speed;
}

void gas_move(struct gas *g, double dt)
{
    double next[CELLS + 2];
    for (int i = 1; i <= CELLS; i++)
        next[i] = g->rho[i] - dt * (g->rho[i] * g->v[i] - g->rho[i - 1] * g->v[i - 1]);
    for (int i = 1; i <= CELLS; i++)
        g->rho[i] = next[i];
    g->time += dt;
}
