/* A loop with a call of its own in each turn and a barrier at its end. In turn 42 rank 1 never comes to the former, and rank 2 not from it to the latter. */
#include <mpi.h>

static volatile int sink;
/* No compiler knows the turn, and makes other calls for it than for the rest. */
static volatile int last = 42;

__attribute__((noinline)) static void work(int for_ever)
{
    for (int step = 0; for_ever || step < 1000; step++)
        sink++;
}

int main(int argc, char **argv)
{
    int rank, own = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 100; turn++) {
        work(turn == last && rank == 1);
        MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        work(turn == last && rank == 2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
