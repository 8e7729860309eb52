/* A small machine runs a small program. */
#include "observe.h"

enum op { PUSH, ADD, MULTIPLY, END };

static const int program[] = {PUSH, 2, PUSH, 3, ADD, PUSH, 4, MULTIPLY, END};

int main(void)
{
    int stack[4];
    int top = 0;
    int at = 0;
    int executed = 0;
    for (;;) {
        executed++;
        switch (program[at++]) {
        case PUSH:
            stack[top++] = program[at] + input(0);
            at++;
            continue;
        case ADD:
            top--;
            stack[top - 1] += stack[top];
            continue;
        case MULTIPLY:
            top--;
            stack[top - 1] *= stack[top];
            continue;
        case END:
            break;
        }
        break;
    }
    observe(stack[0]);
    observe(executed);
    return 0;
}
