#include "clock.hpp"
#include <mpi.h>

void Field::relax()
{
    for (std::size_t i = 1; i + 1 < values.size(); i++)
        values[i] = 0.5 * (values[i - 1] + values[i + 1]);
}

double Field::local() const
{
    double sum = 0;
    for (double value : values)
        sum += value * value;
    return sum;
}

double reduced(double local)
{
    double all = 0;
    MPI_Allreduce(&local, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
