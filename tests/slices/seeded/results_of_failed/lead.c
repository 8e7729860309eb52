#include "crew.h"

static void hand(struct plan *p, int to, MPI_Comm comm)
{
    int task = plan_next(p);
    if (task >= 0)
        MPI_Send(&task, 1, MPI_INT, to, TASK, comm);
}

void lead(struct plan *p, MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    for (int to = 1; to < size; to++)
        hand(p, to, comm);
    while (plan_open(p)) {
        double value;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, DONE, comm, &status);
        plan_take(p, value);
        hand(p, status.MPI_SOURCE, comm);
    }
    for (int to = 1; to < size; to++)
        MPI_Send(NULL, 0, MPI_INT, to, QUIT, comm);
}
