// Steps until a time is over; each rank goes on by parts of a step of its own.
#include "clock.hpp"
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Clock clock(1.0, 2 + rank);
    Field field(16);
    while (clock.goes_on()) {
        field.relax();
        clock.advance(0.1);
        field.norm = reduced(field.local());
    }
    MPI_Finalize();
    return 0;
}
