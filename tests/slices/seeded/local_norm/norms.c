#include "field.h"
#include <math.h>

static double largest(const double *a, const double *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        double each = fabs(a[i] - b[i]);
        if (each > most)
            most = each;
    }
    return most;
}

double change_of(const Rod *rod)
{
    double mine = largest(rod->now + 1, rod->next + 1, rod->cells);
    double all = mine;
    if (rod->sweeps % 10 == 0)
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, rod->comm);
    if (rod->verbose)
        all = all + 0.0;
    return mine; /* BUG: this should be all */
}
