/* Zeros from the library. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int *cells = calloc(5, sizeof *cells);
    int noise = 0;
    cells[input(0) % 5] = 3;
    noise = cells[4];
    observe(cells[2]);
    noise++;
    free(cells);
    return 0;
}
