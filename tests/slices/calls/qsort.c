/* The library calls back. */
#include "observe.h"
#include <stdlib.h>

static int direction = 1;

static int compare(const void *a, const void *b)
{
    int x = *(const int *) a;
    int y = *(const int *) b;
    if (x < y)
        return -direction;
    return x > y ? direction : 0;
}

int main(void)
{
    int data[4];
    int noise = 3;
    data[0] = input(0);
    data[1] = input(1);
    data[2] = input(2);
    data[3] = input(3);
    direction = -1;
    qsort(data, 4, sizeof data[0], compare);
    noise = data[3];
    observe(data[0]);
    return 0;
}
