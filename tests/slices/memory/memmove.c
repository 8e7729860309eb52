/* A block is moved over itself. */
#include "observe.h"
#include <string.h>

int main(void)
{
    int data[5] = {1, 2, 3, 4, 5};
    int noise = 0;
    data[1] = input(0);
    memmove(data + 2, data, 3 * sizeof data[0]);
    data[1] = 70;
    noise = data[0];
    observe(data[3]);
    return 0;
}
