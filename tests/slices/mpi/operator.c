/* The program says how contributions are combined. */
#include "observe.h"
#include <mpi.h>

static int weight = 1;

static void combine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int i, *from = in, *into = inout, unused = 1;
    for (i = 0; i < *count; i++) /* in */
        into[i] = from[i] * weight + into[i]; /* needed */
    unused = 2; /* perturb */
    unused++;
}

int main(int argc, char **argv)
{
    int rank, mine, sum = 0;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    weight = 3; /* needed */
    mine = rank + 1; /* needed */
    MPI_Op_create(combine, 0, &op); /* in */
    MPI_Reduce(&mine, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD); /* needed */
    if (rank == 0) /* in */
        observe(sum); /* criterion */
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
