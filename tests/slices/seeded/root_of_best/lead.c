#include "swarm.h"
#include <string.h>

int swarm_best(const struct swarm *s)
{
    int best = 0;
    for (int k = 1; k < 20; k++)
        if (s->bird[k].value < s->bird[best].value)
            best = k;
    return best;
}

int swarm_leader(const struct swarm *s, double own)
{
    struct { double value; int rank; } mine = {own, s->rank}, all = {own, s->rank};
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MINLOC, 0, s->comm); /* BUG: everybody has to know */
    return all.rank;
}

void swarm_lead(struct swarm *s)
{
    int best = swarm_best(s);
    int root = swarm_leader(s, s->bird[best].value);
    if (root == s->rank)
        memcpy(s->lead, s->bird[best].best, sizeof s->lead);
    MPI_Bcast(s->lead, DIM, MPI_DOUBLE, root, s->comm);
    memcpy(s->trail[s->length++], s->lead, sizeof s->lead);
    MPI_Bcast(s->trail, 3000 * DIM, MPI_DOUBLE, root, s->comm);
}
