/* Each rank sends everybody a piece of its own length. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, i, sum = 0, noise = 1; /* alike */
    int out[16], in[16], counts[4], starts[4], theirs[4], places[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < 16; i++) { /* in */
        out[i] = 100 * rank + i; /* needed */
        in[i] = 0; /* in */
    }
    for (i = 0; i < size; i++) { /* in */
        counts[i] = rank + 1; /* in */
        starts[i] = i * (rank + 1); /* needed */
        theirs[i] = i + 1; /* in */
        places[i] = 4 * i; /* in */
    }
    noise = 5; /* perturb */
    MPI_Alltoallv(out, counts, starts, MPI_INT, in, theirs, places, MPI_INT, MPI_COMM_WORLD); /* needed */
    for (i = 0; i < 16; i++) /* in */
        sum += in[i]; /* needed */
    observe(sum); /* criterion */
    noise++;
    MPI_Finalize();
    return 0;
}
