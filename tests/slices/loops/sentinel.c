/* A loop up to a mark in the data. */
#include "observe.h"

int main(void)
{
    int data[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    int i = 0;
    int sum = 0;
    int largest = 0;
    data[input(0) % 8] = -1;
    while (data[i] >= 0 && i < 7) {
        sum += data[i];
        if (data[i] > largest)
            largest = data[i];
        i++;
    }
    observe(sum);
    observe(largest);
    return 0;
}
