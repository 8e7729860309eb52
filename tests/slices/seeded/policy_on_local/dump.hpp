#pragma once
#include "policy.hpp"
#include <mpi.h>
#include <vector>
class Dump {
public:
    Dump(MPI_Comm comm, std::unique_ptr<Policy> policy);
    void maybe(const State &state);

private:
    void write(const State &state);
    MPI_Comm comm_;
    int rank_, size_, written_ = 0;
    std::unique_ptr<Policy> policy_;
};
