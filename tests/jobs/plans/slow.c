/* Ranks send each other a value again and again; rank 2 computes between calls of its own, and once for much longer than ever, until the file ENOUGH
 * is there, or for minutes. Then all end. Of the others rank 0 computes between its calls, and the rest sleep: whoever watches, and reads the debug info of
 * libraries at first, would have a third of a processor if all computed. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline)) static void work(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        for (int step = 0; step < 10000; step++) sink += step;
}

int main(int argc, char **argv)
{
    int rank, value = 0, other, is_over = 0;
    MPI_Request over;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) {
        const char *enough = getenv("ENOUGH");
        for (int turn = 0; turn < 100; turn++) {
            double end = now() + 240;
            do
                work(0.01);
            while (turn == 90 && now() < end && access(enough, F_OK) != 0);
            MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        }
        for (int peer = 0; peer < 5; peer++)
            if (peer != 2) MPI_Send(&value, 1, MPI_INT, peer, 9, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&other, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, &over);
        while (!is_over) {
            MPI_Allreduce(&value, &value, 0, MPI_INT, MPI_SUM, MPI_COMM_SELF);
            MPI_Test(&over, &is_over, MPI_STATUS_IGNORE);
            if (rank == 0)
                work(0.02);
            else
                nanosleep(&(struct timespec){0, 20 * 1000 * 1000}, NULL);
        }
    }
    MPI_Finalize();
    return 0;
}
