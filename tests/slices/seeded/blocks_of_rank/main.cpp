#include "blocks.hpp"
#include <algorithm>
#include <cstdio>

void normalise(std::vector<Block> &blocks, MPI_Comm comm)
{
    for (auto &block : blocks) {
        double all = total_of(block, comm);
        if (all > 0)
            for (double &value : block.values)
                value /= all;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    auto blocks = assign(rank, size, 6 * size);
    normalise(blocks, MPI_COMM_WORLD);
    double most = 0, all = 0;
    for (const auto &block : blocks)
        most = std::max(most, *std::max_element(block.values.begin(), block.values.end()));
    MPI_Reduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%g\n", all);
    MPI_Finalize();
}
