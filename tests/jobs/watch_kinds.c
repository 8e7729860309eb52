/* Jobs that are well, and jobs that hang, each in its own way: the first argument says which. Ranks are three or more. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>

static int rank, size;
static double sink;
static double length = 3;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* No counter of its own survives optimisation. */
static void compute(double seconds)
{
    double end = now() + seconds, x = 1;
    while (now() < end)
        for (int i = 0; i < 100000; i++)
            x = x * 1.0000001 + 1e-9;
    sink += x;
}

static void *worker(void *seconds)
{
    compute(*(double *)seconds);
    return NULL;
}

static void write_file(double seconds)
{
    char block[65536], name[] = "/tmp/hindmost-watch-XXXXXX";
    double end = now() + seconds;
    int file = mkstemp(name);
    unlink(name);
    memset(block, 1, sizeof block);
    while (now() < end) {
        if (write(file, block, sizeof block) < 0 || fsync(file) < 0)
            abort();
        lseek(file, 0, SEEK_SET);
    }
    close(file);
}

static void poll_for_message(void)
{
    int there = 0, value;
    while (!there)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void master_and_workers(double seconds)
{
    double end = now() + seconds;
    int work = 1;
    if (rank > 0) {
        while (work) {
            compute(0.05);
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&work, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        return;
    }
    for (int left = size - 1; left > 0;) {
        int who;
        MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work = now() < end;
        left -= !work;
        MPI_Send(&work, 1, MPI_INT, who, 2, MPI_COMM_WORLD);
    }
}

static void well(const char *kind)
{
    double one = 1, all;
    int value = 0;
    pthread_t thread;
    if (!strcmp(kind, "file") && rank == 0)
        write_file(length);
    if (!strcmp(kind, "compute") && rank == 1)
        compute(length);
    if (!strcmp(kind, "all-compute"))
        compute(length + rank);
    if (!strcmp(kind, "sleep") && rank == 2)
        for (int i = 0; i < 10 * length; i++)
            usleep(100000);
    if (!strcmp(kind, "pipe") && rank == 0) {
        FILE *pipe = popen("sleep 3; echo done", "r");
        char line[80];
        if (!fgets(line, sizeof line, pipe))
            abort();
        pclose(pipe);
    }
    if (!strcmp(kind, "polling")) {
        if (rank == 0) {
            compute(length);
            MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else if (rank == 1)
            poll_for_message();
    }
    if (!strcmp(kind, "imbalance"))
        for (int i = 0; i < 4; i++) {
            if (i % size == rank)
                compute(length / 3);
            MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    if (!strcmp(kind, "threads") && rank == 1) {
        pthread_create(&thread, NULL, worker, &length);
        pthread_join(thread, NULL);
    }
    if (!strcmp(kind, "fast")) {
        double end = now() + length;
        do {
            all = now() < end;
            MPI_Bcast(&all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        } while (all > 0);
    }
    if (!strcmp(kind, "master"))
        master_and_workers(length);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *never_done(void *unused)
{
    for (volatile int i = 0;; i++)
        ;
    return unused;
}

static void hangs(const char *kind)
{
    double one = 1, all;
    int value = 0;
    pthread_t thread;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!strcmp(kind, "cycle"))
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(kind, "tag")) {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!strcmp(kind, "collectives") && rank == 1)
        MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF), MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(kind, "loop") && rank == 2)
        for (;;)
            compute(1);
    if (!strcmp(kind, "test") && rank == 1)
        poll_for_message();
    if (!strcmp(kind, "thread") && rank == 0) {
        pthread_create(&thread, NULL, never_done, NULL);
        pthread_join(thread, NULL);
    }
    if (!strcmp(kind, "lock") && rank == 0) {
        pthread_mutex_lock(&lock);
        pthread_mutex_lock(&lock);
    }
    if (!strcmp(kind, "pause") && rank == 1)
        pause();
    if (!strcmp(kind, "stopped") && rank == 2)
        raise(SIGSTOP);
    if (!strcmp(kind, "pipe") && rank == 0) {
        int ends[2];
        char byte;
        if (pipe(ends) || read(ends[0], &byte, 1) < 0)
            abort();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *kind = argv[argc - 1];
    int given;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strncmp(kind, "hang-", 5))
        hangs(kind + 5);
    else
        well(kind);
    MPI_Finalize();
    return 0;
}
