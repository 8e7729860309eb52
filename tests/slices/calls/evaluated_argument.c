/* Arguments whose values decide nothing, but which are read through pointers, and computed by calls. */
#include "observe.h"
#include <stdlib.h>

struct cell {
    int value;
    struct cell *next;
};

static int pick(int wanted, int ignored)
{
    (void)ignored;
    return wanted - 1;
}

static int second(const struct cell *cell)
{
    return cell->next->value;
}

int main(void)
{
    int a = input(0);
    int place = input(1) & 3;
    int table[4] = {1, 2, 3, 4};
    int *pointer = &table[place];
    struct cell last = {3, 0};
    struct cell *cell = malloc(sizeof *cell);
    cell->value = 2;
    cell->next = &last;
    struct cell **handle = malloc(sizeof *handle);
    *handle = cell;
    observe(pick(a, *pointer));
    observe(pick(a + 1, (*handle)->next->value));
    observe(pick(a + 2, second(cell)));
    observe(pick(a + 3, table[place]));
    return 0;
}
