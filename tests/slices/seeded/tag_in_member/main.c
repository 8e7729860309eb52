#include "links.h"
#include <stdio.h>

static double smooth(double value, double around)
{
    return 0.5 * value + 0.25 * around;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Links links;
    links_make(&links, MPI_COMM_WORLD, 3);
    double value = links.rank;
    for (int step = 0; step < 50; step++) {
        links_fill(&links, value);
        links_start(&links);
        value = smooth(value, 0.1);
        links_wait(&links);
        value = smooth(value, links_sum(&links) / 3);
    }
    double most;
    MPI_Reduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (links.rank == 0)
        printf("at most %g\n", most);
    MPI_Finalize();
    return 0;
}
