/* A block is cleared. */
#include "observe.h"
#include <string.h>

int main(void)
{
    int data[4] = {9, 9, 9, 9};
    int noise = 3;
    data[0] = 8;
    memset(data, 0, sizeof data);
    data[input(0) % 4] = 5;
    noise = data[2];
    observe(data[1]);
    return 0;
}
