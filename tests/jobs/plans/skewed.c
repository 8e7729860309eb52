/* A preload by which the clock of each rank but the first is late, by more the higher the rank is, and goes slower. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* So late is the clock of rank 1, in nanoseconds. */
static const long long LATE = 300 * 1000 * 1000;

static long long rank_of_process(void)
{
    static int known, rank;
    if (!known) {
        const char *name = getenv("OMPI_COMM_WORLD_RANK");
        if (!name) name = getenv("PMI_RANK");
        rank = name ? atoi(name) : 0;
        known = 1;
    }
    return rank;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int failed = (int)syscall(SYS_clock_gettime, clock, time);
    if (failed || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)) return failed;
    long long now = time->tv_sec * 1000000000LL + time->tv_nsec;
    now -= rank_of_process() * (LATE + (clock == CLOCK_MONOTONIC ? now / 10000 : 0));
    time->tv_sec = now / 1000000000LL;
    time->tv_nsec = now % 1000000000LL;
    return 0;
}
