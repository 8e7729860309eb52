#include "blocks.hpp"
#include <numeric>

double total_of(const Block &block, MPI_Comm comm)
{
    double own = std::accumulate(block.values.begin(), block.values.end(), 0.0) * block.weight;
    double all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return all;
}
