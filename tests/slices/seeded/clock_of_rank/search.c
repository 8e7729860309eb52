#include "budget.h"

static int improve(int best, int round)
{
    unsigned at = best * 2654435761u + round;
    for (int i = 0; i < 200000; i++)
        at = at * 1664525u + 1013904223u;
    return best - (int)(at >> 30);
}

int search(struct budget *b, int rank, MPI_Comm comm)
{
    int best = 1000000 + rank, round = 0;
    while (!budget_spent(b)) {
        best = improve(best, round++);
        if (round % 2 == 0)
            best = exchange_best(best, comm);
    }
    return best;
}
