#include "blocks.hpp"

namespace {
double weight_of(int id) { return 1.0 + id % 3; }
}

/* Blocks go round; heavy ones stand for two. */
std::vector<Block> assign(int rank, int size, int count)
{
    std::vector<Block> own;
    for (int id = 0; id < count; ++id) {
        if (id % size != rank)
            continue;
        Block block{id, weight_of(id), std::vector<double>(4, id)};
        if (block.weight > 2.5 && rank == size - 1)
            continue; /* BUG: it has to be given to somebody, and all must have equally many */
        own.push_back(block);
    }
    return own;
}
