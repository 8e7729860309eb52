#include "box.h"

int take_result(struct box *box, MPI_Status *of)
{
    double value;
    MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, of);
    if (value > box->best)
        box->best = value;
    box->finished++;
    return of->MPI_SOURCE;
}

void hand_out(struct box *box, int who, int job)
{
    box->done[who & 63]++;
    MPI_Ssend(&job, 1, MPI_INT, who, TAG_WORK, MPI_COMM_WORLD);
}
