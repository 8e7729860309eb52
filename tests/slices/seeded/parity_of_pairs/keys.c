#include "swap.h"
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void keys_make(struct keys *k, MPI_Comm comm, int count)
{
    unsigned at = 99;
    k->comm = comm;
    k->count = count;
    MPI_Comm_rank(comm, &k->rank);
    MPI_Comm_size(comm, &k->size);
    for (int i = 0; i < count + 13 * k->rank; i++) {
        at = at * 1664525u + 1013904223u + k->rank;
        k->key[i % count] = at >> 8;
    }
    qsort(k->key, count, sizeof(int), by_value);
}

void keys_merge(struct keys *k, int with, int *other)
{
    int all[4096], n = k->count;
    for (int i = 0; i < n; i++) {
        all[i] = k->key[i];
        all[n + i] = other[i];
    }
    qsort(all, 2 * n, sizeof(int), by_value);
    for (int i = 0; i < n; i++)
        k->key[i] = all[k->rank < with ? i : n + i];
}
