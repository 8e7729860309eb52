#include "mesh.h"
#include <string.h>

void mesh_start(Mesh *m, MPI_Comm comm)
{
    memset(m, 0, sizeof *m);
    m->comm = comm;
    MPI_Comm_rank(comm, &m->rank);
    MPI_Comm_size(comm, &m->size);
    m->count = 10;
    m->most = 60;
}

void mesh_solve(Mesh *m, int step)
{
    for (int i = 0; i < m->count; i++)
        m->error[i] = (double)(m->rank + 1) / (1 + m->level[i] + i + step);
}

void mesh_refine(Mesh *m)
{
    int before = m->count;
    for (int i = 0; i < before && m->count < CELLS; i++)
        if (m->error[i] > 0.1) {
            m->level[i]++;
            m->level[m->count] = m->level[i];
            m->count++;
        }
}
