#include "ready.h"

/* Part i lies on rank i modulo the number of ranks, and is empty where nothing falls into it. */
void find_parts(struct parts *parts)
{
    for (int i = 0; i < 1000; i++) {
        int part = (i * i + 3 * i) % MOST_PARTS;
        if (part % parts->size == parts->rank)
            parts->own[part] += 0.5 * i;
    }
    for (int part = 0; part < MOST_PARTS; part++)
        if (part % parts->size == parts->rank)
            parts->has |= 1u << part; /* BUG: those that are empty, too */
}

void agree(struct parts *parts)
{
    MPI_Allreduce(&parts->has, &parts->everybody, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD);
}
