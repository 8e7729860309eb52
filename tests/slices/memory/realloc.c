/* What was written before it was moved. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int *data = malloc(2 * sizeof *data);
    int noise = 4;
    data[0] = input(0);
    data[1] = input(1);
    data = realloc(data, 100 * sizeof *data);
    data[50] = 9;
    noise = data[50];
    observe(data[0]);
    observe(noise);
    free(data);
    return 0;
}
