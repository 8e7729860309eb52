#include "temper.hpp"
#include <cmath>

Exchange::Exchange(MPI_Comm comm, Replica &replica) : comm_(comm), replica_(replica)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

int Exchange::partner(int round) const
{
    int other = (rank_ + round) % 2 == 0 ? rank_ + 1 : rank_ - 1;
    return other < 0 || other >= size_ ? MPI_PROC_NULL : other;
}

bool Exchange::accept(double mine, double other)
{
    double chance = std::exp((mine - other) * (1 / replica_.temperature() - 0.3));
    return replica_.draw() < chance; /* BUG: both partners have to draw the same number */
}

void Exchange::swap(int with)
{
    double mine = replica_.temperature(), other = 0;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, with, 3, &other, 1, MPI_DOUBLE, with, 3, comm_, MPI_STATUS_IGNORE);
    replica_.set_temperature(other);
    swaps_++;
}

bool Exchange::attempt(int round)
{
    int with = partner(round);
    if (with == MPI_PROC_NULL)
        return false;
    double mine = replica_.energy(), other = 0;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, with, 2, &other, 1, MPI_DOUBLE, with, 2, comm_, MPI_STATUS_IGNORE);
    if (!accept(mine, other))
        return false;
    swap(with);
    return true;
}
