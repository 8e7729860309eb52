#include "field.h"
#include <stdio.h>
#include <stdlib.h>

void report(const Rod *rod, double change)
{
    double heat = 0, sum = 0;
    for (int i = 1; i <= rod->cells; i++)
        heat += rod->now[i];
    MPI_Reduce(&heat, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, rod->comm);
    if (rod->rank == 0)
        printf("%d sweeps, change %g, heat %g\n", rod->sweeps, change, sum);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Rod rod;
    double tolerance = argc > 1 ? atof(argv[1]) : 0.5;
    rod_make(&rod, MPI_COMM_WORLD, 40);
    double change = 1e9;
    while (change > tolerance || rod.sweeps < 25) {
        halo_swap(&rod);
        relax(&rod);
        change = change_of(&rod);
    }
    report(&rod, change);
    rod_free(&rod);
    MPI_Finalize();
    return 0;
}
