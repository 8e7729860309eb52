#include "cg.h"
#include <stdlib.h>

static double *with_ends(int n)
{
    double *all = calloc(n + 2, sizeof *all);
    return all + 1;
}

int solve(const struct system *s, double *x, const double *b, double tolerance, int most)
{
    double *r = with_ends(s->n), *p = with_ends(s->n), *q = with_ends(s->n);
    int steps = 0;
    for (int i = 0; i < s->n; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
    }
    double rr = dot(s, r, r);
    while (rr > tolerance * tolerance) {
        apply(s, p, q);
        double alpha = rr / dot(s, p, q);
        for (int i = 0; i < s->n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double before = rr;
        rr = dot(s, r, r);
        for (int i = 0; i < s->n; i++)
            p[i] = r[i] + rr / before * p[i];
        if (++steps == most)
            break;
    }
    free(r - 1);
    free(p - 1);
    free(q - 1);
    return steps;
}
