#include "sim.h"
#include <stdlib.h>

static int thrown;

void dice_start(int seed)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    thrown = 0;
    srand(seed + rank); /* BUG: what all decide together needs the same numbers */
}

int dice(int sides)
{
    thrown++;
    return rand() % sides;
}
