/* A module with a hidden structure. */
#include "observe.h"
#include "stack.h"

int main(void)
{
    struct stack *s = stack_new();
    int i;
    for (i = 0; i < 4; i++)
        stack_push(s, input(i));
    stack_pop(s);
    observe(stack_pop(s));
    observe(stack_pushes(s));
    stack_free(s);
    return 0;
}
