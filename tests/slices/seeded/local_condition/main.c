#include "mesh.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    static Mesh mesh;
    MPI_Init(&argc, &argv);
    mesh_start(&mesh, MPI_COMM_WORLD);
    for (int step = 0; step < 6; step++) {
        mesh_solve(&mesh, step);
        mesh_refine(&mesh);
        mesh_judge(&mesh);
        if (mesh.uneven)
            mesh_balance(&mesh);
    }
    printf("%d: %d cells, %d moved\n", mesh.rank, mesh.count, mesh.moved);
    MPI_Finalize();
    return 0;
}
