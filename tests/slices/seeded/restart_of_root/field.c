#include "run.h"
#include <stdlib.h>
#include <stdio.h>

void run_begin(struct run *r)
{
    long all = 4000;
    r->cells = all / r->size + (r->rank < all % r->size);
    r->field = malloc(sizeof(double) * (r->cells + 2));
    for (long i = 0; i < r->cells + 2; i++)
        r->field[i] = (i * 7 + r->rank) % 13;
}

void run_restore(struct run *r)
{
    double *all = NULL;
    if (r->rank == 0)
        all = calloc(r->size, sizeof(double));
    MPI_Scatter(all, 1, MPI_DOUBLE, r->field, 1, MPI_DOUBLE, 0, r->comm);
    MPI_Barrier(r->comm);
    free(all);
}

void run_step(struct run *r, int step)
{
    int left = r->rank ? r->rank - 1 : MPI_PROC_NULL;
    int right = r->rank + 1 < r->size ? r->rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(r->field + 1, 1, MPI_DOUBLE, left, step, r->field + r->cells + 1, 1, MPI_DOUBLE, right, step, r->comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(r->field + r->cells, 1, MPI_DOUBLE, right, step, r->field, 1, MPI_DOUBLE, left, step, r->comm, MPI_STATUS_IGNORE);
    for (long i = 1; i <= r->cells; i++)
        r->field[i] += 0.1 * (r->field[i - 1] - 2 * r->field[i] + r->field[i + 1]);
}

void run_report(const struct run *r, int step)
{
    double own = 0, sum;
    for (long i = 1; i <= r->cells; i++)
        own += r->field[i];
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, r->comm);
    if (r->rank == 0)
        printf("%d %g\n", step, sum);
}
