#include "lin.h"
#include <math.h>

double lin_dot(const Lin *l, const double *a, const double *b)
{
    double own = 0, all;
    for (int i = 0; i < l->n; i++)
        own += a[i] * b[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, l->comm);
    return all;
}

double lin_most(const Lin *l, const double *a)
{
    double own = 0, all = 1e30;
    for (int i = 0; i < l->n; i++)
        own = fmax(own, fabs(a[i]));
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, 0, l->comm); /* BUG: only the root knows */
    return all;
}
