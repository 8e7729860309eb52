/* A cell says which cell. */
#include "observe.h"

int main(void)
{
    int order[4] = {2, 0, 3, 1};
    int data[4] = {5, 6, 7, 8};
    int noise = 1;
    order[0] = input(0) % 4;
    data[order[0]] = 100;
    noise = order[1];
    observe(data[2]);
    return 0;
}
