#include "swap.h"

int keys_partner(const struct keys *k, int phase)
{
    int with = (k->rank + phase) % 2 ? k->rank - 1 : k->rank + 1;
    return with < 0 || with >= k->size ? -1 : with;
}

int keys_first(const struct keys *k, int with)
{
    return (k->rank + with) % 4 == 1; /* BUG: the lower one of the pair */
}

void keys_trade(struct keys *k, int with, int *other)
{
    if (keys_first(k, with)) {
        MPI_Ssend(k->key, k->count, MPI_INT, with, 21, k->comm);
        MPI_Recv(other, k->count, MPI_INT, with, 22, k->comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(other, k->count, MPI_INT, with, 21, k->comm, MPI_STATUS_IGNORE);
        MPI_Ssend(k->key, k->count, MPI_INT, with, 22, k->comm);
    }
}

void keys_sort(struct keys *k)
{
    static int other[2048];
    for (int phase = 0; phase < k->size; phase++) {
        int with = keys_partner(k, phase);
        if (with < 0)
            continue;
        keys_trade(k, with, other);
        keys_merge(k, with, other);
    }
}
