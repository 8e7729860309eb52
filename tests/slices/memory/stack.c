/* A stack. */
#include "observe.h"

static int stack[10];
static int top;
static int deepest;

static void push(int n)
{
    stack[top++] = n;
    if (top > deepest)
        deepest = top;
}

static int pop(void)
{
    return stack[--top];
}

int main(void)
{
    int a;
    push(input(0));
    push(input(1));
    push(3);
    a = pop();
    a = a - pop();
    observe(a);
    observe(deepest);
    return 0;
}
