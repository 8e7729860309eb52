#include "mesh.h"

/* Whether the work is spread badly. */
void mesh_judge(Mesh *m)
{
    int total = 0, here = m->count;
    MPI_Allreduce(&here, &total, 1, MPI_INT, MPI_SUM, m->comm);
    int mean = total / m->size;
    m->uneven = here > mean + mean / 8; /* BUG: of one rank only */
    if (total > m->most * m->size)
        m->most *= 2;
}
