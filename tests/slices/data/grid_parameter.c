/* An array of arrays as a parameter. */
#include "observe.h"

static int trace(int rows, int grid[][3])
{
    int i;
    int sum = 0;
    for (i = 0; i < rows; i++)
        sum += grid[i][i];
    return sum;
}

int main(void)
{
    int grid[3][3];
    int i;
    int j;
    int noise = 0;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            grid[i][j] = input(i) * j;
    noise = grid[0][2];
    observe(trace(3, grid));
    return 0;
}
