#include "cloud.hpp"
#include <mpi.h>

void Cloud::migrate()
{
    int out = static_cast<int>(leaving.size()), in = 0;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Sendrecv(&out, 1, MPI_INT, to, 1, &in, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::vector<double> got(in);
    MPI_Sendrecv(leaving.data(), out, MPI_DOUBLE, to, 2, got.data(), in, MPI_DOUBLE, from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    mine.insert(mine.end(), got.begin(), got.end());
    dirty = out > 0; /* BUG: nor is what came in, nor what others did, asked for */
}

void Cloud::agree()
{
    long count = static_cast<long>(mine.size());
    MPI_Allreduce(&count, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    dirty = false;
}
