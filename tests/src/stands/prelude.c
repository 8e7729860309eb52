// What every program begins with: the calls of 'stand' are counted, and the program stays in the one that its argument names. Nothing tells the
// optimiser what 'hide' returns.
#ifdef __cplusplus
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#else
#include <setjmp.h>
#include <string.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long calls, last;
static int total, step;

static inline void count(void) {
    if (++calls == last) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
    if (calls > 100000)
        exit(3);
    __asm__ volatile("" ::: "memory");
}

#if STANDS_IN_MPI
// That a call has effects is known of those that lead to MPI.
#ifdef __cplusplus
extern "C"
#endif
__attribute__((noinline)) void MPI_Stand(void) { count(); }

__attribute__((noinline)) static void stand(void) {
    MPI_Stand();
    __asm__ volatile("");
}
#else
__attribute__((noinline)) static void stand(void) { count(); }
#endif

__attribute__((noinline)) static int hide(int x) {
    __asm__ volatile("" : "+r"(x));
    return x;
}

static int tick(int x) {
    stand();
    return x;
}
