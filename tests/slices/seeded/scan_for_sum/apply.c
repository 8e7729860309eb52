#include "cg.h"

/* The rows of a tridiagonal matrix. `in` has a place before its first entry and one behind its last. */
void apply(const struct system *s, double *in, double *out)
{
    int below = s->rank == 0 ? MPI_PROC_NULL : s->rank - 1;
    int above = s->rank == s->size - 1 ? MPI_PROC_NULL : s->rank + 1;
    MPI_Request wait[4];
    in[-1] = in[s->n] = 0;
    MPI_Irecv(in - 1, 1, MPI_DOUBLE, below, 1, s->comm, &wait[0]);
    MPI_Irecv(in + s->n, 1, MPI_DOUBLE, above, 2, s->comm, &wait[1]);
    MPI_Isend(in + s->n - 1, 1, MPI_DOUBLE, above, 1, s->comm, &wait[2]);
    MPI_Isend(in, 1, MPI_DOUBLE, below, 2, s->comm, &wait[3]);
    MPI_Waitall(4, wait, MPI_STATUSES_IGNORE);
    for (int i = 0; i < s->n; i++)
        out[i] = s->diagonal * in[i] + s->off * (in[i - 1] + in[i + 1]);
}
