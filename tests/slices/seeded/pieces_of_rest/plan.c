#include "plan.h"

int share(int rank, int size, int total)
{
    return total / size + (rank < total % size);
}

static int rounded_up(int n, int by)
{
    return (n + by - 1) / by;
}

void make_plan(struct plan *plan, int rank, int size, int total)
{
    plan->out = share(rank, size, total);
    plan->in = share((rank + size - 1) % size, size, total);
    plan->pieces_out = plan->out / CHUNK + 1; /* BUG: nothing is left where it divides */
    plan->pieces_in = rounded_up(plan->in, CHUNK);
}
