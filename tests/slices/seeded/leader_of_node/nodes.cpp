#include "nodes.hpp"

Nodes::Nodes(MPI_Comm comm, int node)
{
    int size;
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size);
    node_of_.resize(size);
    MPI_Allgather(&node, 1, MPI_INT, node_of_.data(), 1, MPI_INT, comm);
    for (int rank = 0; rank < size; ++rank) {
        if (rank_ % 2 == 0)
            leaders_.emplace(node_of_[rank], rank);
        else
            leaders_[node_of_[rank]] = rank; /* BUG: the first of a node speaks for it */
    }
}

std::vector<int> Nodes::others() const
{
    std::vector<int> found;
    for (int rank = 0; rank < size(); ++rank)
        if (rank != rank_ && node_of_[rank] == node_of_[rank_])
            found.push_back(rank);
    return found;
}
