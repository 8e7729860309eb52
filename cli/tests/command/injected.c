/* Twelve bugs, one of which one rank has in one step. Ranks have different work in every step besides. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION __attribute__((noinline)) static
static int rank, bug, who, when, now;
static jmp_buf failed;

static int has(int number) __attribute__((no_instrument_function));
static int has(int number) { return bug == number && rank == who && now == when; }

FUNCTION void compute(void) { __asm__ volatile(""); }
FUNCTION void pack(void) { __asm__ volatile(""); }
FUNCTION void transfer(void) { __asm__ volatile(""); }
FUNCTION void unpack(void) { for (int i = 0; i < rank; i++) compute(); }
FUNCTION void smooth(void) { __asm__ volatile(""); }
FUNCTION void residual(void) { __asm__ volatile(""); }
FUNCTION void slow_path(void) { __asm__ volatile(""); }
FUNCTION void fast_path(void) { __asm__ volatile(""); }
FUNCTION void report(void) { __asm__ volatile(""); }
FUNCTION void check(void) { if (has(8)) longjmp(failed, 1); }

FUNCTION void exchange(int side)
{
    pack();
    if (has(1) && side == 3) return;
    transfer();
    unpack();
    if (has(2) && side == 5) unpack();
}

FUNCTION void solve(int level)
{
    smooth();
    if (has(3) && level == 2) residual();
    if (level < (has(4) ? 5 : 4)) solve(level + 1);
    residual();
}

FUNCTION void assemble(void)
{
    for (int i = has(5) ? 1 : 0; i < 8; i++) compute();
    if (has(6)) slow_path();
    else fast_path();
}

FUNCTION void reduce(void)
{
    if (has(7)) {
        unpack();
        pack();
    } else {
        pack();
        unpack();
    }
}

FUNCTION void step(void)
{
    for (int side = 0; side < 6; side++) exchange(side);
    assemble();
    solve(0);
    if (!setjmp(failed)) check();
    else report();
    if (!has(9)) reduce();
    if (has(10)) return;
    if (now % 10 == 0 || has(11)) report();
    if (has(12)) exchange(9);
}

int main(int count, char **arguments)
{
    rank = atoi(getenv("PMI_RANK"));
    if (count > 3) bug = atoi(arguments[1]), who = atoi(arguments[2]), when = atoi(arguments[3]);
    for (now = 1; now <= 40; now++) step();
    return 0;
}
