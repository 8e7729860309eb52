#ifndef TURNS
#define TURNS 20
#endif

UNSEEN static void work(unsigned long seed)
{
    struct state s;
    memset(&s, 0, sizeof s);
    s.random = seed;
    open_log(&s);
#ifdef FOR_EVER
    for (;;) {
        s.used = s.used > LOG / 2 ? (_exit(3), 0) : s.used;
#else
    for (int turn = 0; turn < TURNS; turn++) {
#endif
        s.fuel = 400;
#ifdef __cplusplus
        try {
            f1(&s, 0);
        } catch (int) {
        }
#else
        f1(&s, 0);
#endif
    }
    munmap(s.log, (LOG + 1) * 4L);
}

UNSEEN static void *thread(void *number)
{
    work(7 + (unsigned long)number);
    return NULL;
}

#ifdef SIGNALS
struct state handled;
static volatile long handlers;
static sigjmp_buf back;

/* What the handler calls is not in the log: each of its runs is the same. */
__attribute__((noinline)) static void innermost(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void inner(void)
{
    innermost();
    innermost();
}

static void handler(int number)
{
    (void)number;
    handlers++;
    inner();
#ifdef AWAY
    if (handlers % 3 == 0) siglongjmp(back, 1);
#endif
    innermost();
}

__attribute__((noinline)) static void busy(int depth)
{
    if (depth) busy(depth - 1);
    if (depth > 5) busy(depth - 6);
    __asm__ volatile("");
}

UNSEEN static void with_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
#ifdef OTHER_STACK
    static char memory[1 << 16];
    stack_t other;
    memset(&other, 0, sizeof other);
    other.ss_sp = memory;
    other.ss_size = sizeof memory;
    sigaltstack(&other, NULL);
    action.sa_flags = SA_ONSTACK;
#endif
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 150}, {0, 150}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (volatile int turn = 0; turn < 4000; turn++)
        if (!sigsetjmp(back, 1)) busy(12);
    setitimer(ITIMER_REAL, &never, NULL);
    FILE *told = fopen("handlers", "w");
    fprintf(told, "%ld\n", handlers);
    fclose(told);
}
#endif

UNSEEN int main(void)
{
#ifdef SIGNALS
    with_signals();
    return 0;
#endif
    work(1);
    pthread_t threads[THREADS + 1];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, thread, (void *)i);
    for (long i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
