/* Functions that a typedef declares first. */
#include "observe.h"

typedef int operation(int);
typedef void change(int *);

operation twice;
static operation thrice;
change raise;

struct table {
    operation *run;
};

static int use(operation *f, int x)
{
    return f(x);
}

int main(void)
{
    struct table t;
    int n = input(0);
    raise(&n);
    t.run = thrice;
    observe(n);
    observe(twice(n));
    observe(t.run(n));
    observe(use(twice, n));
    return 0;
}

int twice(int x)
{
    int r = 2 * x;
    return r;
}

static int thrice(int x)
{
    int r = 3 * x;
    return r;
}

void raise(int *n)
{
    *n += 10;
}
