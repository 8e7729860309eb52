#include "walk.h"

static int walks;

void walk(int count, void (*visit)(int))
{
    int i;
    walks++;
    for (i = 0; i < count; i++)
        visit(i * i);
}
