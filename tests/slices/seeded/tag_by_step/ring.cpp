#include "ring.hpp"

Ring::Ring(MPI_Comm comm) : comm_(comm)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    mine_ = {rank_, 0, 1.0};
}

void Ring::turn(int step)
{
    Packet in;
    int next = (rank_ + 1) % size_, last = (rank_ + size_ - 1) % size_;
    MPI_Request request;
    MPI_Irecv(&in, sizeof in, MPI_BYTE, last, tag_in(step), comm_, &request);
    mine_.hops++;
    MPI_Send(&mine_, sizeof mine_, MPI_BYTE, next, tag_out(step), comm_);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mine_ = in;
}
