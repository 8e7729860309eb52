/* A callback with a context. */
#include "observe.h"

struct context {
    int sum;
    int seen;
};

static void each(const int *data, int count, void (*visit)(void *, int), void *context)
{
    int i;
    for (i = 0; i < count; i++)
        visit(context, data[i]);
}

static void gather(void *context, int value)
{
    struct context *c = context;
    c->sum += value;
    c->seen++;
}

int main(void)
{
    int data[3];
    struct context c = {0, 0};
    data[0] = input(0);
    data[1] = input(1);
    data[2] = 4;
    each(data, 3, gather, &c);
    observe(c.sum);
    return 0;
}
