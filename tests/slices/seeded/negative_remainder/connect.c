#include "ring.h"
#include <mpi.h>

void connect_ring(struct ring *r)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->size);
    r->sum = r->rank;
    r->up = (r->rank + 1) % r->size;
    r->down = (r->rank - 1) % r->size; /* BUG: of rank 0 that is -1, and means any */
}
