#include "farm.hpp"
#include <cmath>

static double compute(int task)
{
    double value = task;
    for (int i = 0; i < 1000; ++i)
        value = std::cos(value) + task;
    return value;
}

void work(MPI_Comm comm)
{
    double value = 0;
    int task = 0;
    MPI_Send(&value, 1, MPI_DOUBLE, 0, TAG_RESULT, comm);
    for (;;) {
        MPI_Recv(&task, 1, MPI_INT, 0, TAG_WORK, comm, MPI_STATUS_IGNORE);
        if (task < 0)
            break;
        value = compute(task);
        MPI_Send(&value, 1, MPI_DOUBLE, 0, TAG_RESULT, comm);
    }
    MPI_Send(&value, 1, MPI_DOUBLE, 0, TAG_BYE, comm);
}
