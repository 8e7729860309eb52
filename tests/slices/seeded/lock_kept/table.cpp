#include "table.hpp"

Table::Table(MPI_Comm comm, int slots)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Win_allocate(slots * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &slots_, &win_);
    for (int i = 0; i < slots; ++i)
        slots_[i] = -1;
    MPI_Barrier(comm);
}

Table::~Table()
{
    MPI_Win_free(&win_);
}

bool Table::claim(int owner, int slot)
{
    int seen;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, win_);
    MPI_Get(&seen, 1, MPI_INT, owner, slot, 1, MPI_INT, win_);
    MPI_Win_flush(owner, win_);
    if (seen >= 0 && rank_ == 2)
        return false; /* BUG: the lock is kept */
    if (seen < 0)
        MPI_Put(&rank_, 1, MPI_INT, owner, slot, 1, MPI_INT, win_);
    MPI_Win_unlock(owner, win_);
    claimed_ += seen < 0;
    return seen < 0;
}
