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
    }
    puts("done");
    return 0;
}
