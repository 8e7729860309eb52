/* Stalls one rank of an MPI job for ever, at a moment that was chosen beforehand, and keeps a log of every rank's calls.
 *
 * What hangs must look like a program that hangs, not like a tool that holds it: no frame of this file may stand on the
 * stack, and no register may have another value than the program gave it. So nothing here waits. The rank overwrites
 * one instruction of its own memory with a jump to itself ("eb fe") and goes on, into that endless loop:
 *
 *   before   the call instruction that was about to call MPI
 *   in       the first instruction of the MPI function
 *   after    the instruction that the MPI call returns to
 *   code     the instruction of the program itself that a clock of the rank's processor time came upon
 *   anywhere the same, in whatever library it is
 *
 * The entry points of MPI stand in front of the library's through LD_PRELOAD. They are the same few instructions for
 * every function of C, Fortran and mpi_f08, whatever its arguments: save all registers, count, restore them, and jump to
 * the library's function, which then has the program's own call as its caller.
 *
 * HINDMOST_INJECT_LOG names a file with RECORD_WORDS 64-bit words for each rank; HINDMOST_INJECT, if set, is
 * "RANK KIND AT", AT being the number of the call, from 1, or nanoseconds of processor time; HINDMOST_INJECT_LIMIT is the
 * number of seconds after which a rank ends itself. x86-64 and glibc only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* The functions that communicate, or wait for what communicates, each with the index of its communicator if all of
 * the communicator's processes must call it, and -1 otherwise. Those that only look (MPI_Iprobe, MPI_Test) are not among
 * them: who waits by asking again and again stands still, and its count with it. */
#define FUNCTIONS(X) \
    X(Allgather, allgather, 6) X(Allgatherv, allgatherv, 7) X(Allreduce, allreduce, 5) X(Alltoall, alltoall, 6) \
    X(Alltoallv, alltoallv, 8) X(Alltoallw, alltoallw, 8) X(Barrier, barrier, 0) X(Bcast, bcast, 4) \
    X(Exscan, exscan, 5) X(Gather, gather, 7) X(Gatherv, gatherv, 8) X(Iallreduce, iallreduce, 5) \
    X(Ibarrier, ibarrier, 0) X(Ibcast, ibcast, 4) X(Reduce, reduce, 6) X(Reduce_scatter, reduce_scatter, 5) \
    X(Reduce_scatter_block, reduce_scatter_block, 5) X(Scan, scan, 5) X(Scatter, scatter, 7) \
    X(Scatterv, scatterv, 8) X(Comm_create, comm_create, 0) X(Comm_dup, comm_dup, 0) X(Comm_split, comm_split, 0) \
    X(Cart_create, cart_create, 0) X(Bsend, bsend, -1) X(Irecv, irecv, -1) X(Irsend, irsend, -1) \
    X(Isend, isend, -1) X(Issend, issend, -1) X(Probe, probe, -1) X(Recv, recv, -1) \
    X(Rsend, rsend, -1) X(Send, send, -1) X(Sendrecv, sendrecv, -1) X(Sendrecv_replace, sendrecv_replace, -1) \
    X(Ssend, ssend, -1) X(Start, start, -1) X(Startall, startall, -1) X(Wait, wait, -1) \
    X(Waitall, waitall, -1) X(Waitany, waitany, -1) X(Waitsome, waitsome, -1) X(Put, put, -1) X(Get, get, -1) \
    X(Accumulate, accumulate, -1) X(Win_fence, win_fence, -1) X(Win_lock, win_lock, -1) \
    X(Win_unlock, win_unlock, -1)

enum { F_INIT, F_INIT_THREAD, F_FINALIZE,
#define X(name, lower, communicator) F_##name,
       FUNCTIONS(X)
#undef X
       FUNCTION_COUNT };

enum { FROM_C, FROM_FORTRAN, FROM_F08, LANGUAGES };

static const struct {
    const char *name;
    int communicator;
} functions[FUNCTION_COUNT] = {{"Init", -1}, {"Init_thread", -1}, {"Finalize", -1},
#define X(name, lower, communicator) {#name, communicator},
    FUNCTIONS(X)
#undef X
};

/* The words of a rank's record in the log; xtask/src/inject/log.rs reads them. */
enum { W_PID, W_CALLS, W_WORLD, W_FUNCTION, W_SITE, W_STALLED, W_PC, W_FIRST_CPU, W_LAST_CPU, W_LONGEST,
       RECORD_WORDS = 16 };

/* What W_STALLED holds. */
enum { RUNNING, STALLED, CANNOT };

static volatile uint64_t nowhere[RECORD_WORDS];
static volatile uint64_t *record = nowhere;
static void *library[FUNCTION_COUNT][LANGUAGES];
static void *open_mpi_world;
static int memory = -1;
static timer_t timer;
static uint64_t last_cpu;

static enum { NEVER, BEFORE, IN, AFTER, CODE, ANYWHERE } kind = NEVER;
static uint64_t moment;

/* Where code of MPI, of the program and of this file lies. */
static struct range { uintptr_t start, end; } all_code[256], mpi_code[64], program_code[16], own_code[4];
static int all_ranges, mpi_ranges, program_ranges, own_ranges;

static int within(const struct range *ranges, int count, uintptr_t address) {
    for (int i = 0; i < count; i++)
        if (address >= ranges[i].start && address < ranges[i].end)
            return 1;
    return 0;
}

static int learn_module(struct dl_phdr_info *info, size_t size, void *first) {
    (void)size;
    const char *name = strrchr(info->dlpi_name, '/');
    name = name ? name + 1 : info->dlpi_name;
    int is_program = (*(int *)first)++ == 0;
    int is_mpi = !strncmp(name, "libmpi", 6) || !strncmp(name, "libopen-", 8) || !strncmp(name, "libpmpi", 7)
        || !strncmp(name, "mca_", 4);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
            continue;
        struct range range = {info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, 0};
        range.end = range.start + info->dlpi_phdr[i].p_memsz;
        uintptr_t here = (uintptr_t)learn_module;
        if (all_ranges < 256)
            all_code[all_ranges++] = range;
        if (is_program && program_ranges < 16)
            program_code[program_ranges++] = range;
        else if (here >= range.start && here < range.end && own_ranges < 4)
            own_code[own_ranges++] = range;
        else if (is_mpi && mpi_ranges < 64)
            mpi_code[mpi_ranges++] = range;
    }
    return 0;
}

static uint64_t cpu_now(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A system call without the C library, which would touch vector registers that the program still needs. */
static long bare_pwrite(int file, const void *bytes, size_t size, uintptr_t offset) {
    long result = SYS_pwrite64;
    register uintptr_t r10 __asm__("r10") = offset;
    __asm__ volatile("syscall" : "+a"(result) : "D"((long)file), "S"(bytes), "d"(size), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

/* Makes the instruction there an endless loop. Writing through /proc copies the page: no other process sees it. */
static void patch(uintptr_t pc) {
    static const unsigned char loop[2] = {0xeb, 0xfe};
    record[W_PC] = pc;
    record[W_STALLED] = bare_pwrite(memory, loop, sizeof loop, pc) == (long)sizeof loop ? STALLED : CANNOT;
    kind = NEVER;
}

static void again_soon(void) {
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    timer_settime(timer, 0, &soon, NULL);
}

static void on_clock(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    ucontext_t *machine = context;
    uintptr_t pc = (uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
    if (kind != CODE && kind != ANYWHERE)
        return;
    int good = record[W_CALLS] > 0 && !within(own_code, own_ranges, pc)
        && (kind == ANYWHERE || within(program_code, program_ranges, pc));
    if (good)
        patch(pc);
    else
        again_soon();
}

static void start_clock(void) {
    struct sigaction action = {.sa_sigaction = on_clock, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGRTMIN + 9, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 9};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    struct itimerspec at = {{0, 0}, {(time_t)(moment / 1000000000u), (long)(moment % 1000000000u)}};
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
        timer_settime(timer, TIMER_ABSTIME, &at, NULL);
}

static void set_up(void) {
    const char *rank_text = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank_text)
        rank_text = getenv("PMI_RANK");
    const char *path = getenv("HINDMOST_INJECT_LOG");
    if (!path || !rank_text || record != nowhere)
        return;
    unsigned long rank = strtoul(rank_text, NULL, 10);
    int log = open(path, O_RDWR | O_CLOEXEC);
    size_t bytes = RECORD_WORDS * sizeof(uint64_t);
    void *all = mmap(NULL, (rank + 1) * bytes, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
    close(log);
    if (log < 0 || all == MAP_FAILED)
        return;
    record = (volatile uint64_t *)all + rank * RECORD_WORDS;

    const char *limit = getenv("HINDMOST_INJECT_LIMIT");
    if (limit)
        alarm((unsigned)strtoul(limit, NULL, 10));
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        char name[64];
        snprintf(name, sizeof name, "MPI_%s", functions[f].name);
        library[f][FROM_C] = dlsym(RTLD_NEXT, name);
        snprintf(name, sizeof name, "mpi_%s_", functions[f].name);
        for (char *c = name; *c; c++)
            *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
        library[f][FROM_FORTRAN] = dlsym(RTLD_NEXT, name);
        strcat(name, "f08_");
        library[f][FROM_F08] = dlsym(RTLD_NEXT, name);
    }
    open_mpi_world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    int first = 0;
    dl_iterate_phdr(learn_module, &first);

    const char *plan = getenv("HINDMOST_INJECT");
    unsigned long chosen;
    unsigned long long at;
    char word[16];
    if (plan && sscanf(plan, "%lu %15s %llu", &chosen, word, &at) == 3 && chosen == rank) {
        static const char *const kinds[] = {"never", "before", "in", "after", "code", "anywhere"};
        for (int i = BEFORE; i <= ANYWHERE; i++)
            if (!strcmp(word, kinds[i]))
                kind = i;
        moment = at;
        memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        if (kind == CODE || kind == ANYWHERE)
            start_clock();
    }
    record[W_PID] = (uint64_t)getpid();
}

/* The address of the call instruction that returns there and called this file; 0 if the function there was left by
 * a jump, or called through a register. */
static uintptr_t call_site(uintptr_t back) {
    const unsigned char *code = (const unsigned char *)back;
    int32_t distance;
    memcpy(&distance, code - 4, sizeof distance);
    uintptr_t target = back + (uintptr_t)(intptr_t)distance, slot = 0;
    if (code[-6] == 0xff && code[-5] == 0x15) {
        memcpy(&slot, (const void *)target, sizeof slot);
        return within(own_code, own_ranges, slot) ? back - 6 : 0;
    }
    if (code[-5] != 0xe8 || !within(all_code, all_ranges, target))
        return 0;
    /* An entry of the procedure linkage table: perhaps endbr64, perhaps bnd, jmp *slot(%rip). */
    const unsigned char *stub = (const unsigned char *)target;
    if (!memcmp(stub, "\xf3\x0f\x1e\xfa", 4))
        stub += 4;
    if (*stub == 0xf2)
        stub++;
    if (stub[0] != 0xff || stub[1] != 0x25)
        return 0;
    memcpy(&distance, stub + 2, sizeof distance);
    memcpy(&slot, stub + 6 + distance, sizeof slot);
    return within(own_code, own_ranges, slot) ? back - 5 : 0;
}

static int is_world(uint64_t argument, int language) {
    if (language != FROM_C) {
        int32_t handle;
        memcpy(&handle, (const void *)argument, sizeof handle);
        return open_mpi_world ? handle == 0 : handle == 0x44000000;
    }
    return open_mpi_world ? argument == (uint64_t)open_mpi_world : (int32_t)argument == 0x44000000;
}

/* Registers as the entry points save them, the lowest address first. */
struct saved {
    uint64_t registers[6], rax, r10, r11, spare, next, back, stack[];
};

/* Called by every entry point. Sets where it goes on, and returns whether the call is taken back. */
__attribute__((visibility("hidden"), used)) long hindmost_entered(unsigned which, struct saved *saved) {
    unsigned f = which / LANGUAGES;
    int language = (int)(which % LANGUAGES);
    if (f <= F_INIT_THREAD)
        set_up();
    uintptr_t target = (uintptr_t)library[f][language];
    saved->next = target;
    /* MPI's own functions call each other: only the program's calls count. */
    if (f <= F_INIT_THREAD || record == nowhere || within(mpi_code, mpi_ranges, saved->back))
        return 0;

    uint64_t cpu = cpu_now();
    if (record[W_CALLS] == 0)
        record[W_FIRST_CPU] = cpu;
    else if (cpu - last_cpu > record[W_LONGEST])
        record[W_LONGEST] = cpu - last_cpu;
    last_cpu = cpu;
    record[W_LAST_CPU] = cpu;
    uint64_t number = record[W_CALLS] + 1;
    int due = number >= moment;
    if (kind == BEFORE && due) {
        uintptr_t site = call_site(saved->back);
        if (site) {
            patch(site);
            saved->back = site;
            return 1;
        }
    }
    record[W_FUNCTION] = f;
    record[W_SITE] = saved->back;
    int c = functions[f].communicator;
    if (c >= 0 && is_world(c < 6 ? saved->registers[c] : saved->stack[c - 6], language))
        record[W_WORLD] += 1;
    record[W_CALLS] = number;
    if (kind == AFTER && due && f != F_FINALIZE)
        patch(saved->back);
    if (kind == IN && due)
        patch(target);
    return 0;
}

/* All registers are kept, the flags apart, which no call keeps. __COUNTER__ is the number of the entry: each function has
 * one for every language, in the order of the enumerations above. */
#define ENTRY_NUMBERED(symbol, which) \
    __asm__(".text\n.globl " #symbol "\n.type " #symbol ", @function\n" #symbol ":\n" \
            "  endbr64\n" \
            "  sub $8, %rsp\n" \
            "  push %rax\n" /* the spare word: the stack is aligned for the call below */ \
            "  push %r11\n  push %r10\n  push %rax\n  push %r9\n  push %r8\n  push %rcx\n" \
            "  push %rdx\n  push %rsi\n  push %rdi\n" \
            "  mov %rsp, %rsi\n" \
            "  mov $" #which ", %edi\n" \
            "  call hindmost_entered\n" \
            "  test %eax, %eax\n" \
            "  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %r8\n  pop %r9\n" \
            "  pop %rax\n  pop %r10\n  pop %r11\n" \
            "  lea 8(%rsp), %rsp\n" /* keeps the flags */ \
            "  jnz 1f\n" \
            "  ret\n" /* to the library's function, which finds the program's return address */ \
            "1: lea 8(%rsp), %rsp\n" \
            "  ret\n" /* to the call instruction, as if it had not been executed */ \
            ".size " #symbol ", . - " #symbol "\n");
#define ENTRY_WITH(symbol, counter) ENTRY_NUMBERED(symbol, counter)
#define ENTRIES(name, lower) \
    ENTRY_WITH(MPI_##name, __COUNTER__) \
    ENTRY_WITH(mpi_##lower##_, __COUNTER__) \
    ENTRY_WITH(mpi_##lower##_f08_, __COUNTER__)

ENTRIES(Init, init)
ENTRIES(Init_thread, init_thread)
ENTRIES(Finalize, finalize)
#define X(name, lower, communicator) ENTRIES(name, lower)
FUNCTIONS(X)
#undef X
_Static_assert(__COUNTER__ == FUNCTION_COUNT * LANGUAGES, "an entry has another function's number");
