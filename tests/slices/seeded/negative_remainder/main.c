/* Sums go down a ring; the last of each turn is told to everybody by point to point. */
#include "ring.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    struct ring ring;
    MPI_Init(&argc, &argv);
    connect_ring(&ring);
    for (int turn = 0; turn < 4; turn++) {
        pass(&ring);
        collect(&ring, turn);
    }
    MPI_Finalize();
    return 0;
}
