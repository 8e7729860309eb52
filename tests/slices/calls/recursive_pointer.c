/* Recursion that fills what the caller points to. */
#include "observe.h"

static void fill(int *where, int left)
{
    if (left == 0)
        return;
    *where = input(left);
    fill(where + 1, left - 1);
}

int main(void)
{
    int data[5] = {0, 0, 0, 0, 0};
    int other = 3;
    fill(data, 4);
    other += data[0];
    observe(data[2]);
    return 0;
}
