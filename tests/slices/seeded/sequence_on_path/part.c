#include "link.h"

void part_make(struct part *p, MPI_Comm comm)
{
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->size);
    link_open(&p->up, comm, p->rank + 1 < p->size ? p->rank + 1 : MPI_PROC_NULL);
    link_open(&p->down, comm, p->rank ? p->rank - 1 : MPI_PROC_NULL);
    p->active = 1;
    for (int i = 0; i < 64; i++)
        p->value[i] = p->rank == 2 ? 1e-9 : i * 0.5;
}

void part_relax(struct part *p)
{
    double most = 0;
    for (int i = 1; i < 63; i++) {
        p->value[i] = 0.5 * (p->value[i - 1] + p->value[i + 1]);
        if (p->value[i] > most)
            most = p->value[i];
    }
    p->active = most > 1e-6;
}

void part_exchange(struct part *p, int step)
{
    if (p->active) {
        link_put(&p->up, &p->value[62], 1);
        link_put(&p->down, &p->value[1], 1);
    } else {
        double nothing = 0;
        link_put(&p->up, &nothing, 1);
        link_put(&p->down, &nothing, 1);
        p->down.sent++; /* BUG: counted already */
    }
    link_get(&p->up, &p->value[63], 1);
    link_get(&p->down, &p->value[0], 1);
}
