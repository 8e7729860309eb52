#include "grid.h"

void rows_reduce(const Grid *g, double *value)
{
    double sum = *value;
    MPI_Reduce(value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, g->row);
    if (g->x == 0)
        *value = sum;
}

/* The first column knows the sums of the rows, and adds them up. */
void columns_spread(const Grid *g, double *value)
{
    double sum = 0;
    if (g->x != 0)
        return;
    MPI_Allreduce(value, &sum, 1, MPI_DOUBLE, MPI_SUM, g->column);
    *value = sum;
}
