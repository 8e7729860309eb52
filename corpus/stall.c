/* stall.c - see stall.h. */
#define _POSIX_C_SOURCE 200809L

#include "stall.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

volatile int stall_gate = 1;

static int armed; /* this rank is the one, and has not stalled yet */
static int at_iteration;
static char at_place[32];

static volatile uint64_t nobody_watches;
static volatile uint64_t *heartbeat = &nobody_watches;

static void fail(MPI_Comm comm, const char *what, const char *detail)
{
    fprintf(stderr, "stall: %s '%s'\n", what, detail);
    MPI_Abort(comm, 2);
}

/* Whether `place` is one of the blank-separated words of `places`. */
static int is_listed(const char *place, const char *places)
{
    size_t length = strlen(place);

    while (*places) {
        size_t word = strcspn(places, " ");
        if (word == length && strncmp(places, place, length) == 0)
            return 1;
        places += word;
        places += strspn(places, " ");
    }
    return 0;
}

/* The starter has made the file as large as the job needs. */
static void map_heartbeat(MPI_Comm comm, const char *path, int rank, int size)
{
    int fd = open(path, O_RDWR);
    void *cells;

    if (fd < 0) {
        fail(comm, "cannot open the heartbeat file", path);
        return;
    }
    cells = mmap(NULL, (size_t)size * sizeof *heartbeat, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (cells == MAP_FAILED)
        fail(comm, "cannot map the heartbeat file", path);
    else
        heartbeat = (volatile uint64_t *)cells + rank;
}

void stall_init(MPI_Comm comm, const char *places)
{
    const char *stall = getenv("HINDMOST_STALL");
    const char *watched = getenv("HINDMOST_HEARTBEAT");
    const char *limit = getenv("HINDMOST_LIMIT");
    int rank, size, at_rank;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);

    if (limit)
        alarm((unsigned)strtoul(limit, NULL, 10));
    if (watched)
        map_heartbeat(comm, watched, rank, size);
    if (!stall)
        return;
    if (sscanf(stall, "rank=%d,it=%d,place=%31[a-z_]", &at_rank, &at_iteration, at_place) != 3)
        fail(comm, "HINDMOST_STALL is not rank=N,it=N,place=NAME but", stall);
    if (at_rank < 0 || at_rank >= size)
        fail(comm, "there is no such rank in this job:", stall);
    if (!is_listed(at_place, places))
        fail(comm, "this solver cannot stall at", at_place);
    armed = rank == at_rank;
}

int stall_here(const char *place, int it)
{
    ++*heartbeat;
    if (!armed || it != at_iteration || strcmp(place, at_place) != 0)
        return 0;
    armed = 0;
    fprintf(stderr, "stall: pid=%ld it=%d place=%s\n", (long)getpid(), it, place);
    return 1;
}
