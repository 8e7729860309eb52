/* An array in a structure is copied with it. */
#include "observe.h"

struct block {
    int cells[3];
    int used;
};

int main(void)
{
    struct block a;
    struct block b;
    a.cells[0] = input(0);
    a.cells[1] = 2;
    a.cells[2] = 3;
    a.used = 3;
    b = a;
    a.cells[0] = 0;
    b.used = 1;
    observe(b.cells[0]);
    return 0;
}
