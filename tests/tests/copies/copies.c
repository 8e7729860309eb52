/* Calls that gcc copies first and joins then: an instruction with the line of one call is another one as well. Arguments: the way of the
 * case, its flag, and the visit of step() or between() that never ends. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int visits, last_visit;

__attribute__((noinline, noclone, noipa)) void step(int k)
{
    if (++visits == last_visit) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
    (void)k;
}

__attribute__((noinline, noclone, noipa)) void between(int k)
{
    if (++visits == last_visit) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
    (void)k;
}

__attribute__((noinline, noclone, noipa)) void other(int k)
{
    (void)k;
}

struct solver {
    void (*apply)(int);
    void (*finish)(int);
};

__attribute__((noinline, noclone)) static void by_name(int flag)
{
    if (flag)
        other(1);
    step(1);
    if (flag)
        step(1);
    other(2);
}

__attribute__((noinline, noclone)) static void in_loop(int flag, int times)
{
    for (int it = 0; it < times; it++) {
        if (flag)
            other(1);
        step(1);
        if (flag)
            step(1);
        other(2);
    }
}

__attribute__((noinline, noclone)) static void by_pointer(struct solver *s, int flag)
{
    void (*apply)(int) = s->apply;
    if (flag)
        other(1);
    apply(1);
    if (flag)
        apply(1);
    other(2);
}

__attribute__((noinline, noclone)) static void in_arms(int flag, int more)
{
    if (more) {
        other(1);
        flag = 1;
    }
    if (flag)
        step(1);
    else
        step(1);
    other(2);
}

__attribute__((noinline, noclone)) static void in_a_row(struct solver *s, int times)
{
    /* Volatile, so that it can be read at every level. */
    for (volatile int it = 0; it < times; it++) {
        s->apply(1);
        other(1);
        s->finish(1);
        s->apply(1);
    }
}

/* One way goes straight to the last call of step(), which is the first one there. */
__attribute__((noinline, noclone)) static void around(int flag)
{
    if (flag)
        other(1);
    step(1);
    if (flag) {
        between(1);
        step(1);
    }
    other(2);
}

/* Leaves its frame to this from one place or the other: whoever is in it is on one of two ways. */
__attribute__((noinline, noclone)) static void steps(int twice)
{
    if (twice)
        other(1);
    step(1);
    step(2);
    other(2);
}

__attribute__((noinline, noclone)) static void in_steps(int flag)
{
    if (flag)
        return steps(1);
    other(3);
    return steps(0);
}

/* Calls itself last on one way, and yet cannot be a loop: what is called next depends on the result. */
__attribute__((noinline, noclone)) static int descend(int n)
{
    int error = 0;
    if (n > 0) {
        step(1);
        step(2);
        error = descend(n - 1);
        if (error != 0)
            return error;
        step(3);
    }
    return error;
}

/* The same, but nothing is called in this build: it is a loop. */
static inline void trace(int k)
{
    (void)k;
}

__attribute__((noinline, noclone)) static int descend_and_trace(int n)
{
    step(1);
    step(2);
    if (n == 0)
        return 0;
    int error = descend_and_trace(n - 1);
    if (error != 0)
        return error;
    trace(3);
    return 0;
}

/* What follows depends on who calls: one copy of the call has nothing behind it. */
__attribute__((noinline)) static int report(int k)
{
    if (k)
        other(k);
    return 0;
}

__attribute__((noinline, noclone)) static int descend_and_report(int n, int quiet)
{
    int k = 0;
    step(1);
    if (!quiet) {
        other(2);
        k = 1;
    }
    step(2);
    if (n == 0)
        return 0;
    int error = descend_and_report(n - 1, quiet);
    if (error != 0)
        return error;
    report(k);
    return 0;
}

/* The other function calls back. */
static int descend_by(int n);

__attribute__((noinline, noclone)) static int by_another(int n)
{
    step(2);
    return n == 0 ? 0 : descend_by(n - 1);
}

__attribute__((noinline, noclone)) static int descend_by(int n)
{
    step(1);
    int error = by_another(n);
    if (error)
        return error;
    step(3);
    return 0;
}

int main(int count, char **arguments)
{
    if (count < 4)
        return 2;
    int flag = atoi(arguments[2]);
    struct solver s = {step, step};
    last_visit = atoi(arguments[3]);
    switch (atoi(arguments[1])) {
    case 0:
        by_name(flag);
        break;
    case 1:
        in_loop(flag, 3);
        break;
    case 2:
        by_pointer(&s, flag);
        break;
    case 3:
        in_arms(flag & 1, flag >> 1);
        break;
    case 4:
        in_a_row(&s, 3);
        break;
    case 5:
        around(flag);
        break;
    case 6:
        in_steps(flag);
        break;
    case 7:
        descend(3);
        break;
    case 8:
        descend_and_trace(3);
        break;
    case 9:
        descend_and_report(3, flag);
        break;
    case 10:
        descend_by(3);
        break;
    }
    puts("done");
    return 0;
}
