#include "pack.h"

void domain_post(struct domain *d)
{
    for (int k = 0; k < d->borders; k++) {
        struct border *b = &d->border[k];
        MPI_Irecv(b->in, b->count, MPI_DOUBLE, b->peer, 77, d->comm, &d->request[d->open++]);
    }
}

void domain_send(struct domain *d)
{
    for (int k = 0; k < d->borders; k++) {
        struct border *b = &d->border[k];
        for (int i = 0; i < b->count; i++)
            b->out[i] = d->value[b->index[i]];
        MPI_Isend(b->out, b->count, MPI_DOUBLE, b->peer, 77, d->comm, &d->request[d->open++]);
    }
}

void domain_wait(struct domain *d)
{
    MPI_Waitall(d->open, d->request, MPI_STATUSES_IGNORE);
    d->open = 0;
    for (int k = 0; k < d->borders; k++)
        for (int i = 0; i < d->border[k].count; i++)
            d->value[d->border[k].index[i]] += 0.25 * d->border[k].in[i];
}
