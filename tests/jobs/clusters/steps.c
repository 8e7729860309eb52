/* Each rank goes through steps that all end in a collective call. One of them comes to a step in which it waits for what nobody does. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int released;

static void wait_for_nobody(const char *sign)
{
    FILE *file = fopen(sign, "w");
    if (file)
        fclose(file);
    while (!released)
        sched_yield();
}

int main(int argc, char **argv)
{
    int rank, sum;
    /* All ranks that wait for it poll: others come first. */
    if (nice(19) < 0)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int hung = atoi(argv[1]);
    for (int step = 0; step < 100; step++) {
        if (rank == hung && step == 7)
            wait_for_nobody(argv[2]);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
