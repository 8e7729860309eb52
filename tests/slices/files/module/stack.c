#include "stack.h"
#include <stdlib.h>

struct stack {
    int cells[8];
    int used;
    int pushes;
};

struct stack *stack_new(void)
{
    struct stack *s = calloc(1, sizeof *s);
    return s;
}

void stack_push(struct stack *s, int n)
{
    s->pushes++;
    s->cells[s->used++] = n;
}

int stack_pop(struct stack *s)
{
    return s->cells[--s->used];
}

int stack_pushes(const struct stack *s)
{
    return s->pushes;
}

void stack_free(struct stack *s)
{
    free(s);
}
