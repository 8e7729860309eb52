#include "budget.h"

void budget_begin(struct budget *b, double seconds)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    b->allowed = seconds;
    b->asked = 0;
    b->begun = MPI_Wtime() - 0.3 * rank;
}

int budget_spent(struct budget *b)
{
    b->asked++;
    double now = MPI_Wtime();
    return now - b->begun > b->allowed; /* BUG: clocks of ranks differ; one of them has to decide */
}
