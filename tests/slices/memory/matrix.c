/* Rows on the heap. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int **rows = malloc(3 * sizeof *rows);
    int i;
    int j;
    int sum = 0;
    int noise = 0;
    for (i = 0; i < 3; i++) {
        rows[i] = malloc(3 * sizeof **rows);
        for (j = 0; j < 3; j++)
            rows[i][j] = input(i) + j;
        noise += i;
    }
    for (i = 0; i < 3; i++)
        sum += rows[i][2];
    observe(sum);
    for (i = 0; i < 3; i++)
        free(rows[i]);
    free(rows);
    return 0;
}
