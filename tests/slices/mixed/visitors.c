/* Two kinds of visitors over one structure. */
#include "observe.h"

struct visitor {
    void (*enter)(struct visitor *, int);
    int result;
};

static void add(struct visitor *v, int n)
{
    v->result += n;
}

static void most(struct visitor *v, int n)
{
    if (n > v->result)
        v->result = n;
}

static void walk(struct visitor *v)
{
    int i;
    for (i = 0; i < 5; i++)
        v->enter(v, input(i));
}

int main(void)
{
    struct visitor sum = {add, 0};
    struct visitor max = {most, 0};
    walk(&sum);
    walk(&max);
    observe(max.result);
    return 0;
}
