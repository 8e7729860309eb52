/* A function returns the address to write to. */
#include "observe.h"

static int cells[3];

static int *cell(int which)
{
    return &cells[which % 3];
}

int main(void)
{
    *cell(0) = input(0);
    *cell(1) = 5;
    *cell(2) = input(1);
    observe(cells[0]);
    observe(cells[2]);
    return 0;
}
