#include "opts.h"
#include <stdlib.h>

void opts_read(struct opts *o, int argc, char **argv)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &o->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &o->size);
    o->steps = o->every = -1;
    o->rate = 0;
    if (o->rank)
        return;
    o->steps = argc > 1 ? atol(argv[1]) : 40;
    o->every = 10;
    o->rate = 0.2;
}

void opts_share(struct opts *o)
{
    MPI_Bcast(&o->steps, 1, MPI_INT, 0, MPI_COMM_WORLD); /* BUG: it is a long */
    MPI_Bcast(&o->every, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Bcast(&o->rate, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
