#include "config.h"
#include "output.h"
#include <math.h>
#include <stdlib.h>

static void advance(double *u, int width, double dt, int rank)
{
    for (int i = 0; i < width; i++)
        u[i] += dt * sin(rank + u[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct config c;
    config_defaults(&c);
    if (rank == 0) {
        char *given[] = {argv[0], "-i", "7", "-w", "8", NULL};
        if (config_read(&c, 5, given))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    config_share(&c, MPI_COMM_WORLD);
    double *u = calloc(c.width, sizeof *u), energy = 0, sum = 0;
    struct output out;
    output_open(&out, MPI_COMM_WORLD, c.width);
    for (int step = 1; step <= c.steps; step++) {
        advance(u, c.width, c.dt, rank);
        if (step % c.interval == 0)
            output_write(&out, u, c.width);
    }
    for (int i = 0; i < c.width; i++)
        energy += u[i] * u[i];
    MPI_Allreduce(&energy, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    output_close(&out);
    free(u);
    MPI_Finalize();
    return 0;
}
