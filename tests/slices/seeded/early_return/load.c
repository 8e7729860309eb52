#include "data.h"
#include <stdlib.h>

static int rows_of(int rank)
{
    static const int known[] = {6, 3, 0, 9};
    return rank < 4 ? known[rank] : 2;
}

enum status block_load(struct block *b, int rank)
{
    b->rows = rows_of(rank);
    b->columns = 4;
    b->at = NULL;
    if (b->rows > 1000)
        return TOO_LONG;
    if (b->rows == 0)
        return EMPTY; /* BUG: a rank may have no rows, and has to go on */
    b->at = calloc(b->rows * b->columns, sizeof *b->at);
    for (int i = 0; i < b->rows * b->columns; i++)
        b->at[i] = rank + i % 5;
    return FINE;
}

enum status block_check(const struct block *b)
{
    for (int i = 0; i < b->rows * b->columns; i++)
        if (b->at[i] > 1e6)
            return TOO_LONG;
    return FINE;
}
