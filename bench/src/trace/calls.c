/* What a call costs, and a program that calls often: compiled in several ways and run with the tracer, with other tools, and alone. The first argument says what is called, the second how
 * often; printed is the processor time in nanoseconds, and how many calls were made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTION __attribute__((noinline))

static unsigned long long state = 1;
static double field[64];
static long relaxed, cycles;

static unsigned draw(unsigned bound) __attribute__((no_instrument_function, always_inline));
static inline unsigned draw(unsigned bound)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % bound;
}

FUNCTION void leaf(void) { __asm__ volatile(""); }

/* About 200 ns: ten million events a second are five million calls. */
FUNCTION void relax(int at)
{
    relaxed++;
    for (int i = 1; i < 32; i++)
        field[i] += 0.25 * (field[i - 1] - 2 * field[i] + field[i + 1]) + at * 1e-9;
}

FUNCTION void sweep(int count)
{
    for (int i = 0; i < count; i++) relax(i);
}

FUNCTION void smooth(int level) { relax(level); }
FUNCTION void restrict_to(int level) { relax(level); }
FUNCTION void prolong(int level) { relax(level); }

/* A cycle that data decide, as on unstructured meshes. */
FUNCTION void cycle(int level)
{
    cycles++;
    smooth(level);
    unsigned visits = level < 8 ? draw(3) : 0;
    for (unsigned visit = 0; visit < visits; visit++) {
        restrict_to(level);
        cycle(level + 1);
        prolong(level);
    }
    for (unsigned more = draw(4); more > 0; more--) smooth(level);
}

int main(int count_of_arguments, char **arguments)
{
    if (count_of_arguments < 3) return 2;
    long count = atol(arguments[2]);
    struct timespec since, now;
    field[32] = 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &since);
    if (!strcmp(arguments[1], "calls"))
        for (long i = 0; i < count; i++) leaf();
    else if (!strcmp(arguments[1], "regular"))
        for (long i = 0; i < count; i += 100) sweep(100);
    else
        for (long i = 0; i < count; i += 20) cycle(0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    /* Each cycle calls what relaxes, and so does nothing else but the sweeps. */
    long calls = !relaxed ? count : cycles ? cycles + 2 * relaxed : relaxed + relaxed / 100;
    printf("%.0f %ld\n", 1e9 * (now.tv_sec - since.tv_sec) + (now.tv_nsec - since.tv_nsec), calls);
    return field[32] == 12345;
}
