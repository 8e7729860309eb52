#include "rows.h"
#include <mpi.h>

static int has(const struct table *t, int row)
{
    return row >= t->first && row < t->last;
}

void fetch(struct table *t, int row, int who)
{
    double value = 0;
    if (has(t, row) && t->rank != who)
        MPI_Send(&t->value[row], 1, MPI_DOUBLE, who, row, MPI_COMM_WORLD);
    if (t->rank != who)
        return;
    if (has(t, row)) {
        t->seen += t->value[row];
        return;
    }
    MPI_Recv(&value, 1, MPI_DOUBLE, owner(t, row), row, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t->seen += value;
}
