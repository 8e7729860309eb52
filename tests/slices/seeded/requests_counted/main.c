#include "pack.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct domain d;
    MPI_Init(&argc, &argv);
    domain_make(&d, MPI_COMM_WORLD, 50);
    for (int step = 0; step < 10; step++) {
        domain_post(&d);
        domain_send(&d);
        for (int i = 0; i < d.cells; i++)
            d.value[i] *= 0.9;
        domain_wait(&d);
    }
    double sum;
    MPI_Reduce(&d.value[0], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, d.comm);
    if (d.rank == 0)
        printf("%g\n", sum);
    domain_free(&d);
    MPI_Finalize();
    return 0;
}
