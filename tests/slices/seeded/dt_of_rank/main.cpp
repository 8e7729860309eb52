#include "sph.hpp"
#include <cstdio>

double shortest(double own, MPI_Comm comm)
{
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MIN, comm);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Cloud cloud(MPI_COMM_WORLD, 100);
        double dt = shortest(cloud.courant(), MPI_COMM_WORLD);
        int steps = 0;
        while (cloud.time() < 0.5) {
            cloud.push(dt);
            cloud.migrate();
            if (++steps % 20 == 0)
                dt = cloud.courant(); /* BUG: has to be the shortest of all ranks */
        }
        double count = static_cast<double>(cloud.size()), all = 0;
        MPI_Reduce(&count, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        std::printf("%d steps, %g\n", steps, all);
    }
    MPI_Finalize();
}
