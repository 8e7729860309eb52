#include "mesh.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct mesh m;
    double energy = 0;
    int cells;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.size);
    cells = 240 - 45 * (m.rank == 3);
    mesh_cut(&m, cells);
    for (int step = 0; step < 5; step++) {
        mesh_smooth(&m);
        energy = mesh_energy(&m, MPI_COMM_WORLD);
    }
    int all;
    MPI_Reduce(&cells, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (m.rank == 0)
        printf("%g in %d\n", energy, all);
    free(m.value);
    MPI_Finalize();
    return 0;
}
