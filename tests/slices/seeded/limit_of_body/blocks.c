#include "blocks.h"

void fill(struct block *b, int rank, int round)
{
    b->count = 3 + (rank + round) % 3;
    if (rank == 2 && round == 4)
        b->count = LIMIT;
    for (int i = 0; i < b->count; i++)
        b->values[i] = rank + 0.5 * i;
}

void join(struct block *b, const struct block *other)
{
    for (int i = 0; i < b->count && i < other->count; i++)
        b->sum += b->values[i] * other->values[i];
}
