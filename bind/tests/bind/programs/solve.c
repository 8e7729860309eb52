#include "mesh.h"
#include <stdio.h>
#include <stdlib.h>

enum phase { COARSE = -1, FINE = 2 };
typedef unsigned long long counter;

int shared_count;
static int rounds = 3;
static __thread int per_thread;
double trace[64];

static double relax(double *v, int n, int it)
{
    double worst = 0;
    for (int i = 1; i < n - 1; i++) {
        double before = v[i];
        v[i] = (v[i - 1] + v[i + 1]) / 2 + it * 1e-9;
        if (v[i] - before > worst) {
            worst = v[i] - before;
        }
    }
    return worst;
}

double solve(double *v, int n, int limit)
{
    int it = 0;
    double err = 1;
    while (it < limit && err > 1e-12) {
        err = relax(v, n, it);
        trace[it % 64] = weight(v, n);
        it++;
    }
    return err + norm(v, n);
}

int shadow(int n)
{
    int total = 0;
    for (int k = 0; k < n; k++) {
        total += k;
        for (int j = 0; j < 3; j++) {
            int k = j * 2;
            printf("%d\n", k);
        }
    }
    for (int k = n; k > 0; k--) {
        total ^= rand() % (k + 1);
    }
    return total;
}

long walk(struct mesh *m, struct mesh *whole, const double *p)
{
    static int calls = 0;
    enum phase phase = COARSE;
    counter c = 0;
    for (; m; m = m->next) {
        m->level++;
        m->sweep += 2;
        m->range.last--;
        c += (counter)m->cells;
        calls++;
        phase = c > 7 ? FINE : COARSE;
        printf("%llu %d %g\n", c, (int)phase, *p++);
    }
    return (long)c + whole->level;
}

int globals(int n)
{
    for (shared_count = 0; shared_count < n; shared_count++) {
        for (rounds = 0; rounds < 2; rounds++) {
            per_thread++;
            printf("%d %d %d\n", shared_count, rounds, per_thread);
        }
    }
    return shared_count;
}

__attribute__((cold, noinline)) int report(int e)
{
    return printf("%d\n", e);
}

__attribute__((noinline)) int unlikely(int n)
{
    int e = 0;
    for (e = 0; e < n; e++) {
        if (rand() % 3 == 0) {
            n -= report(e) * e;
            n ^= report(n) & 1;
        }
    }
    return e;
}

int main(int argc, char **argv)
{
    double v[32] = {0, 1};
    struct mesh b = {.cells = 5, .range = {1, 9}}, a = {.cells = 4, .next = &b};
    v[31] = argc;
    double r = solve(v, 32, argc * 10);
    int s = shadow(argc + 4);
    long w = walk(&a, &b, v);
    int g = globals(argc + 1);
    printf("%s %g %d %ld %d %d\n", argv[0], r, s, w, g, unlikely(argc + 9));
    return 0;
}
