#include "grid.h"
#include <stdio.h>

static double local_work(const Grid *g, int step)
{
    double value = 0;
    for (int i = 0; i < 100; i++)
        value += (g->rank + 1.0) / (i + step + 1);
    return value;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Grid grid;
    grid_make(&grid, MPI_COMM_WORLD, 2);
    double value = 0;
    for (int step = 0; step < 5; step++) {
        value = local_work(&grid, step);
        rows_reduce(&grid, &value);
        columns_spread(&grid, &value);
        MPI_Barrier(grid.all);
    }
    if (grid.rank == 0)
        printf("%g\n", value);
    grid_free(&grid);
    MPI_Finalize();
    return 0;
}
