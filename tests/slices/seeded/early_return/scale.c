#include "data.h"

enum status block_scale(struct block *b, MPI_Comm comm)
{
    double most = 0, all;
    for (int i = 0; i < b->rows * b->columns; i++)
        if (b->at[i] > most)
            most = b->at[i];
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (all == 0)
        return EMPTY;
    for (int i = 0; i < b->rows * b->columns; i++)
        b->at[i] /= all;
    return FINE;
}
