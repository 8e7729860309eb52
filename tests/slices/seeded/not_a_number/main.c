#include "swarm.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    static swarm s;
    int rank, size, steps = 0;
    double time = 0, end = 2, least;
    MPI_Init(&argc, &argv);
    s.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(s.comm, &rank);
    MPI_Comm_size(s.comm, &size);
    fill(&s, rank);
    do {
        moments(&s);
        double dt = step_size(&s);
        if (dt > 0.5)
            dt = 0.5;
        if (dt < 0.25)
            dt = 0.25;
        drift(&s, dt);
        share(&s, rank, size);
        time += dt;
        steps++;
    } while (time < end);
    MPI_Allreduce(&time, &least, 1, MPI_DOUBLE, MPI_MIN, s.comm);
    if (rank == 0)
        printf("%d steps until %g\n", steps, least);
    MPI_Finalize();
    return 0;
}
