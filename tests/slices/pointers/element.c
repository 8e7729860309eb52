/* The address of one element. */
#include "observe.h"

int main(void)
{
    int data[4] = {0, 0, 0, 0};
    int *second = &data[1];
    int *third = &data[2];
    *second = input(0);
    *third = input(1);
    data[3] = 6;
    observe(data[1]);
    observe(data[3]);
    return 0;
}
