/* A negative offset from the middle of an array. */
#include "observe.h"

int main(void)
{
    int data[4] = {1, 2, 3, 4};
    int *middle = data + 2;
    int noise = 0;
    middle[-1] = input(0);
    noise = middle[1];
    middle[-2] = noise;
    observe(data[1]);
    return 0;
}
