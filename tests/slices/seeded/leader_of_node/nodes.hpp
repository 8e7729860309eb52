#pragma once
#include <mpi.h>
#include <map>
#include <string>
#include <vector>

/* Which ranks stand on which node, and who speaks for each node. */
class Nodes {
public:
    Nodes(MPI_Comm comm, int node);
    int rank() const { return rank_; }
    int size() const { return static_cast<int>(node_of_.size()); }
    bool leads() const { return leaders_.at(node_of_[rank_]) == rank_; }
    int leader() const { return leaders_.at(node_of_[rank_]); }
    std::vector<int> others() const;
    const std::map<int, int> &leaders() const { return leaders_; }

private:
    int rank_;
    std::vector<int> node_of_;
    std::map<int, int> leaders_;
};

double gather_by_node(const Nodes &nodes, double own);
