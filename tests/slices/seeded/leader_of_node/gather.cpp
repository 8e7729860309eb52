#include "nodes.hpp"

namespace {
constexpr int Own = 21, Sum = 22;
}

double gather_by_node(const Nodes &nodes, double own)
{
    double sum = own;
    if (!nodes.leads()) {
        MPI_Send(&own, 1, MPI_DOUBLE, nodes.leader(), Own, MPI_COMM_WORLD);
        MPI_Recv(&sum, 1, MPI_DOUBLE, nodes.leader(), Sum, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return sum;
    }
    for (int other : nodes.others()) {
        double part;
        MPI_Recv(&part, 1, MPI_DOUBLE, other, Own, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += part;
    }
    for (int other : nodes.others())
        MPI_Send(&sum, 1, MPI_DOUBLE, other, Sum, MPI_COMM_WORLD);
    return sum;
}
