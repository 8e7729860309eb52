/* heartbeat.c - a process that notices when it is stopped.
 *
 *     heartbeat FILE
 *
 * Looks at the clock as often as it can, and keeps in FILE (mapped, two 64-bit cells) the number of looks and the
 * longest time between two of them, in nanoseconds. Whoever attaches a debugger clears the second cell before and
 * reads it after.
 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void beat(volatile uint64_t *cells)
{
    uint64_t last = now();
    long beats = 0;

    for (;;) {
        uint64_t t = now();

        if (t - last > cells[1])
            cells[1] = t - last;
        last = t;
        beats++;
        cells[0] = (uint64_t)beats;
    }
}

int main(int argc, char **argv)
{
    int fd;
    void *cells;

    if (argc != 2) {
        fprintf(stderr, "usage: heartbeat FILE\n");
        return 2;
    }
    alarm(600); /* whatever became of whoever started us */
    fd = open(argv[1], O_RDWR);
    if (fd < 0) {
        perror(argv[1]);
        return 2;
    }
    cells = mmap(NULL, 2 * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (cells == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    beat(cells);
    return 0;
}
