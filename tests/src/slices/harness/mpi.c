/* What programs of several ranks link: who has observed what. */
#include <mpi.h>
#include <stdio.h>

void observe(long value)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("observed rank %d: %ld\n", rank, value);
    fflush(stdout);
}

int input(int which)
{
    return which;
}
