#include "ghost.hpp"

Ghosts::Ghosts(MPI_Comm comm, Fields &fields) : comm_(comm), fields_(fields)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

void Ghosts::one(std::vector<double> &field, int tag)
{
    int next = (rank_ + 1) % size_, last = (rank_ + size_ - 1) % size_;
    MPI_Sendrecv(&field[14], 1, MPI_DOUBLE, next, tag, &field[0], 1, MPI_DOUBLE, last, tag, comm_, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, last, tag, &field[15], 1, MPI_DOUBLE, next, tag, comm_, MPI_STATUS_IGNORE);
}

void Ghosts::update()
{
    int tag = 60;
    for (auto &[name, field] : fields_.all())
        one(field, tag++);
}
