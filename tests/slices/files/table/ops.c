#include "ops.h"

static int used;

int op_add(int a, int b)
{
    used++;
    return a + b;
}

int op_scale(int a, int b)
{
    used += 2;
    return a * b;
}
