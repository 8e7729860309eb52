/* A distance between two pointers. */
#include "observe.h"

int main(void)
{
    int data[10];
    int *from = data;
    int *to = data;
    int noise = 2;
    to += input(0);
    from = data + noise - 2;
    noise = 17;
    observe((long) (to - from));
    return 0;
}
