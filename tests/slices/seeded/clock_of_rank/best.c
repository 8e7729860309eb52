#include "budget.h"

int exchange_best(int best, MPI_Comm comm)
{
    int all = best;
    MPI_Allreduce(&best, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}
