#include "links.h"

void links_fill(Links *l, double value)
{
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < l->link[side].count; i++)
            l->link[side].out[i] = value + i;
}

void links_start(Links *l)
{
    MPI_Request *next = l->request;
    for (int side = 0; side < SIDES; side++) {
        Link *link = &l->link[side];
        MPI_Irecv(link->in, link->count, MPI_DOUBLE, link->peer, link->tag_in, l->comm, next++);
    }
    for (int side = 0; side < SIDES; side++) {
        Link *link = &l->link[side];
        MPI_Isend(link->out, link->count, MPI_DOUBLE, link->peer, link->tag_out, l->comm, next++);
    }
}

void links_wait(Links *l)
{
    MPI_Waitall(2 * SIDES, l->request, MPI_STATUSES_IGNORE);
}

double links_sum(const Links *l)
{
    double sum = 0;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < l->link[side].count; i++)
            sum += l->link[side].in[i];
    return sum;
}
