#include "swarm.h"
#include <math.h>

void moments(swarm *s)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < s->count; i++)
        sum += s->p[i].v;
    s->mean = sum / s->count; /* BUG: there may be none */
    for (int i = 0; i < s->count; i++)
        squares += (s->p[i].v - s->mean) * (s->p[i].v - s->mean);
    s->spread = sqrt(squares);
}

double step_size(const swarm *s)
{
    double fast = fabs(s->mean) + 2 * s->spread + 1e-3;
    return 0.1 / fast;
}

void drift(swarm *s, double dt)
{
    for (int i = 0; i < s->count; i++)
        s->p[i].x += s->p[i].v * dt;
}
