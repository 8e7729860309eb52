#include "team.hpp"

Comm Comm::split(int colour, int key) const
{
    MPI_Comm made;
    MPI_Comm_split(raw_, colour, key, &made);
    return Comm(made);
}

int Comm::rank() const
{
    int rank;
    MPI_Comm_rank(raw_, &rank);
    return rank;
}

int Comm::size() const
{
    int size;
    MPI_Comm_size(raw_, &size);
    return size;
}

double Comm::sum(double own) const
{
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, raw_);
    return all;
}

void Comm::send(double value, int to, int tag) const
{
    MPI_Send(&value, 1, MPI_DOUBLE, to, tag, raw_);
}

double Comm::recv(int from, int tag) const
{
    double value;
    MPI_Recv(&value, 1, MPI_DOUBLE, from, tag, raw_, MPI_STATUS_IGNORE);
    return value;
}
