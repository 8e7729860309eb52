#include "cloud.hpp"
#include <mpi.h>

Cloud::Cloud(int count)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < count; i++)
        mine.push_back(i * 0.2);
}

void Cloud::drift(int step)
{
    leaving.clear();
    for (double &x : mine)
        x += 0.01 * (step + 1);
    if (step == 3 && rank == 1) {
        leaving.push_back(mine.back());
        mine.pop_back();
    }
}
