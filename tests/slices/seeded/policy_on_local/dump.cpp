#include "dump.hpp"
#include <cstdio>

Dump::Dump(MPI_Comm comm, std::unique_ptr<Policy> policy) : comm_(comm), policy_(std::move(policy))
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

void Dump::maybe(const State &state)
{
    if (policy_->wants(state))
        write(state);
}

void Dump::write(const State &state)
{
    std::vector<long> counts(size_);
    MPI_Gather(&state.particles, 1, MPI_LONG, counts.data(), 1, MPI_LONG, 0, comm_);
    MPI_Barrier(comm_);
    if (rank_ == 0)
        std::printf("dump %d at %g: %ld\n", written_, state.time, counts[0]);
    ++written_;
}
