#include "channel.hpp"

void Outgoing::pass(std::vector<double> &data)
{
    MPI_Send(data.data(), static_cast<int>(data.size()), MPI_DOUBLE, peer_, tag_, MPI_COMM_WORLD);
}

void Incoming::pass(std::vector<double> &data)
{
    std::vector<double> got(data.size());
    MPI_Recv(got.data(), static_cast<int>(got.size()), MPI_DOUBLE, peer_, tag_, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] += got[i];
}
