#include "mesh.h"
#include <math.h>

static int rounds = 7;

double norm(const double *v, int n)
{
    double all = weight(v, n);
    for (int q = 0; q < n; q += 2) {
        all += v[q] > 0 ? v[q] : -v[q];
        rounds += q;
        shared_count++;
    }
    return all + rounds;
}
