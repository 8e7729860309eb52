/* An array of arrays, written by row and read by column. */
#include "observe.h"

int main(void)
{
    int grid[3][4];
    int i;
    int j;
    int sum = 0;
    int unused = 0;
    for (i = 0; i < 3; i++) {
        int *row = grid[i];
        for (j = 0; j < 4; j++)
            row[j] = input(i) + j;
        unused += i;
    }
    for (i = 0; i < 3; i++)
        sum += grid[i][1];
    observe(sum);
    return 0;
}
