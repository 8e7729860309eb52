/* Runs a program of two signals that its parent sends behind exactly so many instructions: the second one, which may kill, may come while the tracer takes up what the handler of the first has done. */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))
#define SEEN __attribute__((noinline))

/* How often the bodies of these functions were run. */
static struct { int first, second, after, busy, third; } *ran;
static sigjmp_buf back;

SEEN static void innermost(void) { __asm__ volatile(""); }
SEEN static void inner(void) { innermost(); }
SEEN static void first(int number) { ran->first++; inner(); inner(); __asm__ volatile("" : : "r"(number)); }
SEEN static void second(int number) { ran->second++; inner(); siglongjmp(back, number); }
SEEN static void third(int number) { ran->third++; inner(); __asm__ volatile("" : : "r"(number)); }
SEEN static void busy(int depth) { ran->busy++; if (depth) busy(depth - 1); inner(); __asm__ volatile(""); }
SEEN static void after(void) { ran->after++; __asm__ volatile(""); }

UNSEEN static void child(int rounds)
{
    signal(SIGUSR1, first);
    signal(SIGUSR2, second);
    signal(SIGWINCH, third);
    /* Whatever happens once has happened. */
    busy(0);
    if (!sigsetjmp(back, 1)) raise(SIGUSR2);
    raise(SIGUSR1);
    raise(SIGWINCH);
    after();
    /* So that what comes is foretold. */
    while (rounds-- > 0) { busy(2); innermost(); }
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    if (!sigsetjmp(back, 1)) { busy(2); innermost(); }
    after();
    _exit(0);
}

/* Goes on by one instruction or to the next stop; a signal that has come is handed on. Whether the child is still there. */
UNSEEN static int go_on(int how, pid_t pid)
{
    static int pending;
    int status;
    if (ptrace(how, pid, 0, pending)) exit(3);
    if (waitpid(pid, &status, 0) != pid) exit(4);
    if (WIFSTOPPED(status)) {
        pending = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        return 1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status)) exit(5);
    return 0;
}

UNSEEN int main(int argc, char **argv)
{
    int status;
    ran = mmap(0, sizeof *ran, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc != 5 || ran == MAP_FAILED) return 2;
    pid_t pid = fork();
    if (!pid) child(atoi(argv[4]));
    waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status)) return 2;
    int is_there = 1;
    const int signals[] = {SIGUSR1, atoi(argv[3])};
    for (int which = 0; which < 2 && is_there; which++) {
        for (int left = atoi(argv[1 + which]); left && is_there; left--) is_there = go_on(PTRACE_SINGLESTEP, pid);
        if (is_there) syscall(SYS_tgkill, pid, pid, signals[which]);
    }
    if (is_there && signals[1] == SIGKILL) {
        waitpid(pid, &status, 0);
        is_there = 0;
    }
    while (is_there) is_there = go_on(PTRACE_CONT, pid);
    printf("%d %d %d %d %d\n", ran->first, ran->second, ran->after, ran->busy, ran->third);
    return 0;
}
