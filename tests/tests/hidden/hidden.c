/* Counters in memory that nobody knows but the compiler, and in some that others know. Arguments: the way of the case, nothing, and the
 * visit of step() that never ends. Each iteration visits it twice. */
#include <stdio.h>
#include <stdlib.h>

void step(void);
int MPI_Learn(void *object);

#define ITERATIONS 40

struct sim {
    int i;
    int last;
    double *values;
    int table[100];
};

struct watched {
    volatile int i;
    int table[100];
};

static void fill(int *table, int n)
{
    for (int k = 0; k < n; k++)
        table[k] = k * n;
}

/* Nobody is told, and nobody reads the counter any more. */
static int of_heap(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

/* The counter is stepped first. */
static int stepped_first(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        s->i++;
        step();
        if (n)
            step();
    }
    out = s->table[n];
    free(s);
    return out;
}

static int of_stack(int n)
{
    struct sim s = {0};

    fill(s.table, n + 60);
    while (s.i < ITERATIONS) {
        step();
        if (n)
            step();
        s.i++;
    }
    return s.table[n];
}

/* Somebody outside is told before the loop. */
static int told_of_heap(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    MPI_Learn(&s->last);
    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

static int told_of_stack(int n)
{
    struct sim s = {0};

    MPI_Learn(s.table);
    fill(s.table, n + 60);
    while (s.i < ITERATIONS) {
        step();
        if (n)
            step();
        s.i++;
    }
    return s.table[n];
}

/* The caller may have told anybody. */
__attribute__((noinline)) int handed_in(struct sim *s, int n)
{
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    return s->table[n];
}

/* The caller has told nobody, and the call is inlined. */
static inline __attribute__((always_inline)) int inlined(struct sim *s, int n)
{
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    return s->table[n];
}

static int hidden_from_inlined(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    fill(s->table, n + 60);
    out = inlined(s, n);
    free(s);
    return out;
}

static int told_before_inlined(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    MPI_Learn(s);
    fill(s->table, n + 60);
    out = inlined(s, n);
    free(s);
    return out;
}

/* Nobody else uses the object while the function lasts: that is promised. */
__attribute__((noinline)) int restricted(struct sim *restrict s, int n)
{
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    return s->table[n];
}

static int of_volatile(int n)
{
    struct watched *s = calloc(1, sizeof *s);
    int out;

    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

/* A call that tells somebody, but not this one. */
static inline __attribute__((always_inline)) void perhaps(struct sim *s, int aloud)
{
    if (aloud)
        MPI_Learn(s);
}

static int told_perhaps(int n)
{
    struct sim *s = calloc(1, sizeof *s), *other = calloc(1, sizeof *other);
    int out;

    perhaps(s, 0);
    perhaps(other, 1);
    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

/* Another object was told of by the same name. */
static int told_of_another(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    MPI_Learn(s);
    s = calloc(1, sizeof *s);
    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

/* Somebody is told by a function that always does. */
static __attribute__((noinline)) void tell(struct sim *s)
{
    s->last = 1;
    MPI_Learn(&s->table[1]);
}

static int told_by_callee(int n)
{
    struct sim s = {0};

    tell(&s);
    fill(s.table, n + 60);
    while (s.i < ITERATIONS) {
        step();
        if (n)
            step();
        s.i++;
    }
    return s.table[n];
}

/* Two copies of a function: one of them tells somebody. */
static inline __attribute__((always_inline)) int copied(struct sim *s, int n, int aloud)
{
    if (aloud)
        MPI_Learn(s);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    return s->table[n];
}

static int told_in_another_copy(int n)
{
    struct sim *s = calloc(1, sizeof *s), *other = calloc(1, sizeof *other);
    int out;

    fill(s->table, n + 60);
    out = copied(s, n, 0);
    free(s);
    return out + copied(other, n, 1);
}

/* A function that tells somebody, unless it does not return. */
static inline __attribute__((always_inline)) void tell_or_leave(struct sim *s, int leave)
{
    if (leave != 1) {
        s->last = leave;
        return;
    }
    MPI_Learn(s);
    exit(1);
}

static int not_told_by_who_returned(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    tell_or_leave(s, 0);
    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

/* A function with code of its own that tells somebody in some cases. */
__attribute__((noinline)) void tell_unless(struct sim *s, int leave)
{
    s->last = leave;
    if (leave > 1000)
        return;
    MPI_Learn(s->table);
    s->last++;
}

static int told_behind_return(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    tell_unless(s, 1000 * n);
    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

/* The only copy of the callee is for an argument with which nobody is told. */
static __attribute__((noinline)) void tell_never(struct sim *s, int leave)
{
    s->last += leave;
    if (leave == 1)
        return;
    MPI_Learn(s->table);
    s->last++;
}

static int told_by_no_copy(int n)
{
    struct sim *s = calloc(1, sizeof *s);
    int out;

    tell_never(s, 1);
    fill(s->table, n + 60);
    s->i = 0;
    while (s->i < ITERATIONS) {
        step();
        if (n)
            step();
        s->i++;
    }
    out = s->table[n];
    free(s);
    return out;
}

extern int last_visit;

int main(int argc, char **argv)
{
    int way = argc > 1 ? atoi(argv[1]) : 0;
    struct sim *s = calloc(1, sizeof *s);
    int result = 0;

    last_visit = argc > 3 ? atoi(argv[3]) : 0;
    switch (way) {
    case 0: result = of_heap(argc); break;
    case 1: result = stepped_first(argc); break;
    case 2: result = of_stack(argc); break;
    case 3: result = told_of_heap(argc); break;
    case 4: result = told_of_stack(argc); break;
    case 5: result = handed_in(s, argc); break;
    case 6: result = hidden_from_inlined(argc); break;
    case 7: result = told_before_inlined(argc); break;
    case 8: result = restricted(s, argc); break;
    case 9: result = of_volatile(argc); break;
    case 10: result = told_perhaps(argc); break;
    case 11: result = told_of_another(argc); break;
    case 13: result = told_in_another_copy(argc); break;
    case 14: result = not_told_by_who_returned(argc); break;
    case 12: result = told_by_callee(argc); break;
    case 15: result = told_behind_return(argc); break;
    case 16: result = told_by_no_copy(argc); break;
    }
    return result == 12345;
}
