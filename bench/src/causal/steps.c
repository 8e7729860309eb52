/* Steps of a made-up simulation: each rank computes, which is sleeping here, so that a machine of few processors has room for many of them, exchanges with both of its neighbours, and each tenth time all sum something. The
 * argument is the time of the computation in microseconds; with 0 rank 0 stops after 200 steps, and the others wait for it. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { LAST = 200, CELLS = 64 };

int main(int argc, char **argv)
{
    int rank, size;
    long pause = argc > 1 ? atol(argv[1]) : 0;
    double sent[2][CELLS] = { 0 }, received[2][CELLS], own = 1, sum;
    MPI_Request requests[4];
    /* Whoever started it may be killed. */
    alarm(300);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sides[2] = { (rank + size - 1) % size, (rank + 1) % size };
    for (long step = 0;; step++) {
        if (pause) usleep((useconds_t)pause);
        if (!pause && rank == 0 && step == LAST)
            for (;;) sleep(1);
        for (int side = 0; side < 2; side++) {
            MPI_Irecv(received[side], CELLS, MPI_DOUBLE, sides[side], side, MPI_COMM_WORLD, &requests[side]);
            MPI_Isend(sent[side], CELLS, MPI_DOUBLE, sides[side], !side, MPI_COMM_WORLD, &requests[2 + side]);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        if (step % 10 == 9) MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}
