/* Two ranks wait for each other. If PLAN is 1, the first has a thread besides that has called nothing yet, and might end it. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *sleeps(void *nothing)
{
    int value = 0;
    sleep(10000);
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return nothing;
}

int main(int argc, char **argv)
{
    int rank, value, level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && atoi(getenv("PLAN"))) pthread_create(&thread, NULL, sleeps, NULL);
    if (rank < 2) MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (;;) sleep(100);
}
