#include "gas.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct gas g;
    double mass = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.size);
    gas_fill(&g);
    double own = gas_dt(&g), dt = own;
    if (own > 0)
        MPI_Allreduce(&own, &dt, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    while (g.time < 20) {
        gas_ends(&g);
        gas_move(&g, dt);
    }
    for (int i = 1; i <= CELLS; i++)
        mass += g.rho[i];
    MPI_Reduce(&mass, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (g.rank == 0)
        printf("%g\n", all);
    MPI_Finalize();
    return 0;
}
