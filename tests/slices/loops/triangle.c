/* The inner loop's bound is the outer loop's variable. */
#include "observe.h"

int main(void)
{
    int i;
    int j;
    int cells = 0;
    int rows = 0;
    for (i = 0; i < input(0); i++) {
        rows++;
        for (j = 0; j <= i; j++)
            cells++;
    }
    observe(cells);
    observe(rows);
    return 0;
}
