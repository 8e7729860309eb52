#include "budget.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct budget budget;
    int rank, found, best;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    budget_begin(&budget, 0.4);
    found = search(&budget, rank, MPI_COMM_WORLD);
    MPI_Reduce(&found, &best, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", best);
    MPI_Finalize();
    return 0;
}
