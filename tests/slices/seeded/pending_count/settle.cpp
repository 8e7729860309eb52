#include "queue.hpp"

void Queue::settle()
{
    int thief = (rank_ + 1) % size_, victim = (rank_ + size_ - 1) % size_;
    in_.assign(expected_, 0);
    for (int i = 0; i < moved_; ++i) {
        MPI_Request request;
        MPI_Isend(&rank_, 1, MPI_INT, thief, 9, comm_, &request);
        out_.push_back(request);
    }
    for (int &each : in_)
        MPI_Recv(&each, 1, MPI_INT, victim, 9, comm_, MPI_STATUS_IGNORE);
    MPI_Waitall(static_cast<int>(out_.size()), out_.data(), MPI_STATUSES_IGNORE);
}
