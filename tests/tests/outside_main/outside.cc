// Code that runs before main, after it, and on stacks of its own. The argument says in which call of 'stand' the program stays: so that number is
// the order of two processes.
#include <cstdlib>
#include <cstdio>
#include <unistd.h>

static unsigned long calls, last;

__attribute__((constructor(101))) static void begin(int argc, char **argv) {
    last = argc > 1 ? strtoul(argv[1], nullptr, 10) : 0;
}

__attribute__((noinline)) static void stand() {
    if (++calls == last) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
    __asm__ volatile("");
}

// Built and destroyed twice, by one function each.
struct Object {
    int number;
    explicit Object(int number) : number(number) {
        stand();
        __asm__ volatile("");
        stand();
        __asm__ volatile("");
    }
    ~Object() {
        stand();
        __asm__ volatile("");
        stand();
        __asm__ volatile("");
    }
};

static Object first(1), second(2);

static void bye() {
    stand();
    __asm__ volatile("");
    stand();
    __asm__ volatile("");
}

// A fiber: what runs on a stack that begins with it. Each of several begins at the same function.
static void *resumed;

__attribute__((noinline)) static void work() {
    stand();
    __asm__ volatile("");
    stand();
    __asm__ volatile("");
}

extern "C" __attribute__((noinline, used)) void fiber() {
    work();
    __asm__ volatile("mov %0, %%rsp; pop %%rbp; pop %%rbx; pop %%r12; pop %%r13; pop %%r14; pop %%r15; ret" ::"m"(resumed));
}

extern "C" void enter(void *stack, void **resumed);
__asm__(".text; .type enter, @function; enter:\n"
        "push %r15; push %r14; push %r13; push %r12; push %rbx; push %rbp\n"
        "mov %rsp, (%rsi); mov %rdi, %rsp; xor %ebp, %ebp; push $0; jmp fiber\n"
        ".size enter, . - enter");

int main() {
    atexit(bye);
    for (int it = 0; it < 2; it++) {
        stand();
        static char stacks[2][65536] __attribute__((aligned(16)));
        enter(stacks[it] + sizeof stacks[it], &resumed);
        stand();
    }
    atexit(bye);
    return 0;
}
