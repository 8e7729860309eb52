// A grid of two by two whose sides are exchanged with whoever is beside it.
#include "sides.hpp"
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Cell cell(rank % 2, rank / 2);
    for (int step = 0; step < 5; step++) {
        cell.work(step);
        Exchange exchange(cell);
        exchange.post();
        exchange.send();
        exchange.finish();
    }
    MPI_Finalize();
    return 0;
}
