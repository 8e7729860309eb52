#include "pool.h"
#include <mpi.h>

static double compute(int job)
{
    double value = job;
    for (int i = 0; i < 100; i++)
        value = 0.5 * value + 1.0 / (1 + i);
    return value;
}

int work(int rank)
{
    int done = 0;
    for (;;) {
        int job;
        MPI_Status status;
        MPI_Recv(&job, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return done;
        double result = compute(job + rank);
        MPI_Send(&result, 1, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
        done++;
    }
}
