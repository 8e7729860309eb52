#pragma once
#include <mpi.h>
#include <vector>

class Field {
public:
    Field(MPI_Comm comm, int cells);
    void exchange();
    double &operator[](int i) { return cells_[i + 1]; }
    int size() const { return static_cast<int>(cells_.size()) - 2; }
    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }

private:
    MPI_Comm comm_;
    int rank_, ranks_;
    std::vector<double> cells_;
};
