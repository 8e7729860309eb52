/* Runs many small programs that were compiled as one: each in a process of its own, for several inputs.
 *
 * The programs come before this file, `variants` lists their main functions. On standard output, for each program
 * and input: "= program input", one "file:line=value" for every value that was observed, and how it ended:
 * "! exit", "! signal N", or "! limit" when it observed too much. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* A run that observes more than this goes round for ever. */
#define MOST_VALUES 2000

/* A run is over after so much processor time, in microseconds. Programs need less than a thousandth of it. */
#ifndef TIME_LIMIT
#define TIME_LIMIT 100000
#endif

static unsigned long run_seed;
static int values;

void observe_at(const char *file, int line, long value)
{
    const char *name = strrchr(file, '/');
    dprintf(1, "%s:%d=%ld\n", name ? name + 1 : file, line, value);
    if (++values > MOST_VALUES)
        _exit(77);
}

int input(int which)
{
    unsigned long h = run_seed * 0x9e3779b97f4a7c15ul ^ (unsigned long) which * 0xbf58476d1ce4e5b9ul;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebul;
    h ^= h >> 32;
    return (int) (h % 10);
}

static void run(int which)
{
    struct itimerval limit = {{0, 0}, {TIME_LIMIT / 1000000, TIME_LIMIT % 1000000}};
    struct rlimit none = {0, 0};
    struct rlimit stack = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_STACK, &stack);
    setitimer(ITIMER_VIRTUAL, &limit, 0);
    /* What nobody wrote is no zero. */
    mallopt(M_PERTURB, 0xa5);
    variants[which]();
    exit(0);
}

int main(int argc, char **argv)
{
    int inputs = argc > 1 ? atoi(argv[1]) : 1;
    int which;
    for (which = 0; which < (int) (sizeof variants / sizeof variants[0]); which++) {
        for (run_seed = 1; run_seed <= (unsigned long) inputs; run_seed++) {
            int status = 0;
            pid_t child;
            dprintf(1, "= %d %lu\n", which, run_seed);
            child = fork();
            if (child == 0)
                run(which);
            if (child < 0 || waitpid(child, &status, 0) != child)
                return 1;
            if (WIFSIGNALED(status))
                dprintf(1, "! signal %d\n", WTERMSIG(status));
            else if (WEXITSTATUS(status) == 77)
                dprintf(1, "! limit\n");
            else if (WEXITSTATUS(status) == 99)
                dprintf(1, "! sanitizer\n");
            else
                dprintf(1, "! exit\n");
        }
    }
    return 0;
}
