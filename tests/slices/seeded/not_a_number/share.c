#include "swarm.h"

/* Numbers of what leaves to the right. */
void share(swarm *s, int rank, int size)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int out = 0, in = 0;
    for (int i = 0; i < s->count; i++)
        if (s->p[i].x > rank + 1)
            out++;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, before, 17, s->comm, &request);
    MPI_Ssend(&out, 1, MPI_INT, next, 17, s->comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
