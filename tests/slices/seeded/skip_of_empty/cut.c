#include "mesh.h"
#include <stdlib.h>

void mesh_cut(struct mesh *m, int cells)
{
    int each = 30, first = 0;
    m->value = malloc(sizeof(double) * cells);
    for (int i = 0; i < cells; i++)
        m->value[i] = (i * 31 + m->rank) % 17;
    m->patches = 8;
    for (int k = 0; k < m->patches; k++) {
        int left = cells - first;
        m->patch[k].first = first;
        m->patch[k].count = left < each ? left : each;
        first += m->patch[k].count;
    }
}

void mesh_smooth(struct mesh *m)
{
    for (int k = 0; k < m->patches; k++)
        for (int i = 1; i < m->patch[k].count; i++)
            m->value[m->patch[k].first + i] = 0.5 * (m->value[m->patch[k].first + i] + m->value[m->patch[k].first + i - 1]);
}
