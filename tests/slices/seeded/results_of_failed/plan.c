#include "crew.h"

void plan_make(struct plan *p, int tasks)
{
    p->tasks = tasks;
    p->sent = p->back = p->refused = 0;
    p->best = 1e30;
}

int plan_next(struct plan *p)
{
    return p->sent < p->tasks ? p->sent++ : -1;
}

void plan_take(struct plan *p, double value)
{
    if (value < 0) {
        p->refused++;
        return; /* BUG: it is back all the same */
    }
    p->back++;
    if (value < p->best)
        p->best = value;
}

int plan_open(const struct plan *p)
{
    return p->back < p->tasks;
}
