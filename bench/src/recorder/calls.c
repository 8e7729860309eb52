/* What one call costs: the same program is run with the flight recorder and without. Each line is a name and nanoseconds; of a ping-pong a turn is four calls in two ranks, so
 * that a rank makes two. Given "stacks" each call is preceded by what AutomaDeD does at each: two stacks as symbols. */
#include <execinfo.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int with_stacks;

/* One rank waits for nobody, and its processor time is the same on a busy machine. */
static clockid_t measured_by = CLOCK_MONOTONIC;

static double now(void)
{
    struct timespec t;
    clock_gettime(measured_by, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static void look(void)
{
    void *frames[64];
    if (!with_stacks) return;
    for (int twice = 0; twice < 2; twice++) free(backtrace_symbols(frames, backtrace(frames, 64)));
}

static void said(int rank, const char *name, double since, long calls)
{
    if (rank == 0) printf("%s %.1f\n", name, (now() - since) / calls);
}

int main(int argc, char **argv)
{
    int rank, size, in = 1, out, there, count = 1, start = 0;
    with_stacks = argc > 1 && !strcmp(argv[1], "stacks");
    long turns = with_stacks ? 200 : 200000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) measured_by = CLOCK_PROCESS_CPUTIME_ID;
    for (int round = 0; round < 2; round++) {
        double begun = now();
        if (size == 1) {
            for (long i = 0; i < turns; i++) { look(); MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE); }
            if (round) said(rank, "Iprobe", begun, turns);
            begun = now();
            for (long i = 0; i < turns; i++) { look(); MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
            if (round) said(rank, "Allreduce-of-one-rank", begun, turns);
            begun = now();
            for (long i = 0; i < turns; i++) { look(); MPI_Sendrecv(&in, 0, MPI_INT, 0, 1, &out, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
            if (round) said(rank, "Sendrecv-to-itself", begun, turns);
            begun = now();
            for (long i = 0; i < turns; i++) { look(); MPI_Alltoallv(&in, &count, &start, MPI_INT, &out, &count, &start, MPI_INT, MPI_COMM_WORLD); }
            if (round) said(rank, "Alltoallv-of-one-rank", begun, turns);
            begun = now();
            for (long i = 0; i < turns; i++) { look(); MPI_Gatherv(&in, 1, MPI_INT, &out, &count, &start, MPI_INT, 0, MPI_COMM_WORLD); }
            if (round) said(rank, "Gatherv-of-one-rank", begun, turns);
            begun = now();
            for (long i = 0; i < turns; i++) MPI_Wtime();
            if (round) said(rank, "Wtime", begun, turns);
        } else {
            for (long i = 0; i < turns; i++) {
                look();
                if (rank == 0) MPI_Send(&in, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
                look();
                if (rank < 2) MPI_Recv(&out, 0, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (rank == 1) MPI_Send(&in, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
            }
            if (round) said(rank, "ping-pong", begun, 2 * turns);
            begun = now();
            for (long i = 0; i < turns; i++) { look(); MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
            if (round) said(rank, "Allreduce", begun, turns);
        }
    }
    MPI_Finalize();
    return 0;
}
