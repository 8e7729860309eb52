#include "lin.h"
#include <stdlib.h>
#include <math.h>

void lin_make(Lin *l, MPI_Comm comm, int n)
{
    l->comm = comm;
    l->n = n;
    MPI_Comm_rank(comm, &l->rank);
    MPI_Comm_size(comm, &l->size);
    l->x = calloc(n, sizeof(double));
    l->r = malloc(n * sizeof(double));
    l->p = malloc(n * sizeof(double));
    l->q = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        l->r[i] = l->p[i] = 1 + sin(i + n * l->rank);
}

void lin_free(Lin *l)
{
    free(l->x);
    free(l->r);
    free(l->p);
    free(l->q);
}

void lin_apply(const Lin *l, const double *in, double *out)
{
    double ends[2] = {0, 0};
    int below = l->rank ? l->rank - 1 : MPI_PROC_NULL, above = l->rank + 1 < l->size ? l->rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&in[l->n - 1], 1, MPI_DOUBLE, above, 5, &ends[0], 1, MPI_DOUBLE, below, 5, l->comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&in[0], 1, MPI_DOUBLE, below, 6, &ends[1], 1, MPI_DOUBLE, above, 6, l->comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < l->n; i++) {
        double left = i ? in[i - 1] : ends[0], right = i + 1 < l->n ? in[i + 1] : ends[1];
        out[i] = 2.5 * in[i] - left - right;
    }
}
