#include "rma.h"

int neighbour(int rank, int size, int step)
{
    return (rank + size + step) % size;
}

MPI_Group group_of(MPI_Comm comm, int rank)
{
    MPI_Group all, one;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
}

void shared_make(struct shared *s, MPI_Comm comm, int count)
{
    MPI_Comm_rank(comm, &s->rank);
    MPI_Comm_size(comm, &s->size);
    s->count = count;
    MPI_Win_allocate(count * sizeof(double), sizeof(double), MPI_INFO_NULL, comm, &s->mine, &s->win);
    for (int i = 0; i < count; i++)
        s->mine[i] = s->rank * 10 + i;
    s->before = group_of(comm, neighbour(s->rank, s->size, -1));
    s->after = group_of(comm, neighbour(s->rank, s->size, s->rank ? 1 : 2)); /* BUG: always the next one */
}
