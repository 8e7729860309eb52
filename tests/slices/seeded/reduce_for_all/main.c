#include "lin.h"
#include <stdio.h>

int lin_solve(Lin *l, double eps)
{
    int steps = 0;
    double rr = lin_dot(l, l->r, l->r);
    for (;;) {
        lin_apply(l, l->p, l->q);
        double alpha = rr / lin_dot(l, l->p, l->q);
        for (int i = 0; i < l->n; i++) {
            l->x[i] += alpha * l->p[i];
            l->r[i] -= alpha * l->q[i];
        }
        double next = lin_dot(l, l->r, l->r), beta = next / rr;
        rr = next;
        for (int i = 0; i < l->n; i++)
            l->p[i] = l->r[i] + beta * l->p[i];
        steps++;
        if (steps % 5 == 0 && lin_most(l, l->r) < eps)
            return steps;
        if (steps > 1000000)
            return -1;
    }
}

int main(int argc, char **argv)
{
    Lin l;
    MPI_Init(&argc, &argv);
    lin_make(&l, MPI_COMM_WORLD, 60);
    int steps = lin_solve(&l, 1e-8);
    double size = lin_dot(&l, l.x, l.x);
    if (l.rank == 0)
        printf("%d steps, %g\n", steps, size);
    lin_free(&l);
    MPI_Finalize();
    return 0;
}
