#include "mesh.h"

double patch_energy(const struct mesh *m, const struct patch *p)
{
    double sum = 0;
    for (int i = p->first; i < p->first + p->count; i++)
        sum += m->value[i] * m->value[i];
    return sum;
}

double mesh_energy(struct mesh *m, MPI_Comm comm)
{
    double total = 0;
    for (int k = 0; k < m->patches; k++) {
        double own, sum;
        if (m->patch[k].count == 0)
            continue; /* BUG: the others wait in the reduction */
        own = patch_energy(m, &m->patch[k]);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        total += sum;
    }
    return total;
}
