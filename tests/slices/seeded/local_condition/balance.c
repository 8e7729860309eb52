#include "mesh.h"

static void plan(const Mesh *m, const int *counts, int *give)
{
    int total = 0;
    for (int i = 0; i < m->size; i++)
        total += counts[i];
    int spare = m->count - total / m->size;
    for (int i = 0; i < m->size; i++) {
        int lacks = total / m->size - counts[i];
        give[i] = spare > 0 && lacks > 0 ? (lacks < spare ? lacks : spare) : 0;
        spare -= give[i];
    }
}

void mesh_balance(Mesh *m)
{
    int counts[64], give[64], take[64];
    MPI_Allgather(&m->count, 1, MPI_INT, counts, 1, MPI_INT, m->comm);
    plan(m, counts, give);
    MPI_Alltoall(give, 1, MPI_INT, take, 1, MPI_INT, m->comm);
    for (int i = 0; i < m->size; i++) {
        m->count += take[i] - give[i];
        m->moved += give[i];
    }
    m->uneven = false;
}
