#include "links.h"
#include <stdlib.h>

#define TAG_OF(rank, side) (100 + 10 * (rank) + (side))

static void link_make(Link *link, int peer, int count)
{
    link->peer = peer;
    link->count = count;
    link->out = calloc(count, sizeof(double));
    link->in = calloc(count, sizeof(double));
}

void links_make(Links *l, MPI_Comm comm, int count)
{
    l->comm = comm;
    MPI_Comm_rank(comm, &l->rank);
    MPI_Comm_size(comm, &l->size);
    link_make(&l->link[LEFT], (l->rank + l->size - 1) % l->size, count);
    link_make(&l->link[RIGHT], (l->rank + 1) % l->size, count);
    for (int side = 0; side < SIDES; side++) {
        Link *link = &l->link[side];
        link->tag_out = TAG_OF(l->rank, side);
        link->tag_in = TAG_OF(l->rank + (side == LEFT ? -1 : 1), 1 - side); /* BUG: the peer, which wraps around */
    }
}
