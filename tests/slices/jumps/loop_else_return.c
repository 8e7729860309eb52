/* Who comes to the end of a function, and who leaves before. */
#include "observe.h"

static int search(const int *data, int count, int wanted)
{
    int i;
    int compared = 0;
    for (i = 0; i < count; i++) {
        compared++;
        if (data[i] == wanted)
            return i;
    }
    compared = -compared;
    return -1;
}

int main(void)
{
    int data[4];
    int i;
    for (i = 0; i < 4; i++)
        data[i] = input(i);
    observe(search(data, 4, input(2)));
    return 0;
}
