#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef UNSEEN
#define UNSEEN __attribute__((no_instrument_function))
#endif
#define LOG (1 << 22)

struct state {
    unsigned long random;
    long fuel, level;
    jmp_buf *top;
    int *log;
    long used;
};

/* The log is a mapped file, so that it outlives the process: in front stands how many notes there are. */
UNSEEN static void open_log(struct state *s)
{
    char name[64];
    snprintf(name, sizeof name, "log.%d", (int)syscall(SYS_gettid));
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, (LOG + 1) * 4L)) abort();
    s->log = (int *)mmap(0, (LOG + 1) * 4L, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (s->log == MAP_FAILED) abort();
    close(file);
}

UNSEEN static __attribute__((noinline)) void note(struct state *s, int what)
{
    if (s->used == LOG) abort();
    s->log[++s->used] = what;
    __atomic_store_n(s->log, (int)s->used, __ATOMIC_RELEASE);
    s->level += what ? 1 : -1;
}

UNSEEN static unsigned long draw(struct state *s)
{
    s->random = s->random * 6364136223846793005UL + 1442695040888963407UL;
    return s->random >> 33;
}

UNSEEN static int spend(struct state *s)
{
    return s->fuel > 0 && s->fuel--;
}

#ifdef __cplusplus
struct Noted {
    struct state *s;
    UNSEEN Noted(struct state *s, int function) : s(s) { note(s, function); }
    UNSEEN ~Noted() { note(s, 0); }
};
/* Its end is a function that is called while an exception passes. */
struct Held {
    struct state *s;
    UNSEEN explicit Held(struct state *s) : s(s) {}
    __attribute__((noinline)) ~Held()
    {
        Noted noted(s, 99);
        volatile long memory[20];
        memory[0] = 1;
    }
};
#else
/* Runs a call to which others may jump back. What they have left is noted as ended. */
#define CATCHING(call)                                                                                                      \
    {                                                                                                                       \
        jmp_buf here, *outer = s->top;                                                                                      \
        long level = s->level;                                                                                              \
        if (!setjmp(here)) {                                                                                                \
            s->top = &here;                                                                                                 \
            call                                                                                                            \
        } else                                                                                                              \
            while (s->level > level) note(s, 0);                                                                            \
        s->top = outer;                                                                                                     \
    }
#endif
