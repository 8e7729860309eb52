/* An insertion sort. */
#include "observe.h"

static int moves;

static void sort(int *data, int count)
{
    int i;
    for (i = 1; i < count; i++) {
        int key = data[i];
        int j = i - 1;
        while (j >= 0 && data[j] > key) {
            data[j + 1] = data[j];
            j--;
            moves++;
        }
        data[j + 1] = key;
    }
}

int main(void)
{
    int data[5];
    int i;
    for (i = 0; i < 5; i++)
        data[i] = input(i);
    sort(data, 5);
    observe(data[0]);
    observe(data[4] - data[2]);
    observe(moves);
    return 0;
}
