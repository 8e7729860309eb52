#include "pack.h"
#include <stdlib.h>

void border_add(struct domain *d, int peer, int count)
{
    struct border *b = &d->border[d->borders++];
    b->peer = peer;
    b->count = count;
    b->index = malloc(count * sizeof(int));
    b->out = malloc(count * sizeof(double));
    b->in = calloc(count, sizeof(double));
    for (int i = 0; i < count; i++)
        b->index[i] = (i * 3 + peer) % d->cells;
}

void domain_make(struct domain *d, MPI_Comm comm, int cells)
{
    d->comm = comm;
    MPI_Comm_rank(comm, &d->rank);
    MPI_Comm_size(comm, &d->size);
    d->cells = cells;
    d->borders = d->open = 0;
    d->value = malloc(cells * sizeof(double));
    for (int i = 0; i < cells; i++)
        d->value[i] = d->rank + i;
    for (int peer = 0; peer < d->size; peer++) {
        int far = abs(peer - d->rank);
        if (far == 1)
            border_add(d, peer, 12);
        else if (far == 2 && d->rank > 0) /* BUG: as seen from the other side, too */
            border_add(d, peer, 3);
    }
}

void domain_free(struct domain *d)
{
    for (int k = 0; k < d->borders; k++) {
        free(d->border[k].index);
        free(d->border[k].out);
        free(d->border[k].in);
    }
    free(d->value);
}
