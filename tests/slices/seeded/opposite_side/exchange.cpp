#include "sides.hpp"

static Side opposite(Side side)
{
    return static_cast<Side>(side ^ 1);
}

void Exchange::post()
{
    for (int s = 0; s < Sides; s++) {
        const Side side = static_cast<Side>(s);
        if (!cell.has(side))
            continue;
        requests.emplace_back();
        MPI_Irecv(&got[s], 1, MPI_DOUBLE, cell.beside(side), opposite(side), MPI_COMM_WORLD, &requests.back());
    }
}

void Exchange::send()
{
    for (int s = 0; s < Sides; s++) {
        const Side side = static_cast<Side>(s);
        if (cell.has(side))
            MPI_Send(&cell.edge(), 1, MPI_DOUBLE, cell.beside(side), side, MPI_COMM_WORLD);
    }
}

void Exchange::finish()
{
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
}
