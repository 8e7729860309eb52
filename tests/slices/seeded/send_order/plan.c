#include "ring.h"

/* Odd and even phases: the pairs are shifted by one. */
void swap_plan(Swap *s, MPI_Comm comm, int phase)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    s->comm = comm;
    int begins = rank % 2 == phase % 2;
    s->partner = begins ? rank + 1 : rank - 1;
    if (s->partner < 0 || s->partner >= size)
        s->partner = MPI_PROC_NULL;
    s->first = rank % 2 == 0 || phase == 3; /* BUG: phase 3 needs no care any more */
    s->go = s->first ? swap_first : swap_second;
}
