// What programs of Fortran are linked with: the calls of 'stand' are counted, and the program stays in the one that its argument names. Nothing tells the
// optimiser what 'hide' returns.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long calls, last;

__attribute__((constructor)) static void begin(int argc, char **argv) {
    if (argc > 1)
        last = strtoul(argv[1], NULL, 10);
}

void mpi_stand_(void) {
    if (++calls == last) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
    if (calls > 100000)
        exit(3);
}

int hide_(const int *x) {
    int value = *x;
    __asm__ volatile("" : "+r"(value));
    return value;
}

void report_(void) {
    printf("%lu\n", calls);
    fflush(stdout);
}
