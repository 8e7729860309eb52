#include "cg.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct system s = {.comm = MPI_COMM_WORLD, .n = 12, .diagonal = 4, .off = -1};
    MPI_Comm_rank(s.comm, &s.rank);
    MPI_Comm_size(s.comm, &s.size);
    double *x = malloc(s.n * sizeof *x), *b = malloc(s.n * sizeof *b);
    for (int i = 0; i < s.n; i++)
        b[i] = 1.0 / (1 + s.rank * 3 + i);
    int steps = solve(&s, x, b, 1e-9, 400);
    double *all = NULL;
    if (s.rank == 0)
        all = malloc(s.n * s.size * sizeof *all);
    MPI_Gather(x, s.n, MPI_DOUBLE, all, s.n, MPI_DOUBLE, 0, s.comm);
    if (s.rank == 0)
        printf("%d steps, first %g\n", steps, all[0]);
    MPI_Finalize();
    return 0;
}
