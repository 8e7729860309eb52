/* Counts by class. */
#include "observe.h"

int main(void)
{
    int bins[3] = {0, 0, 0};
    int i;
    int largest = 0;
    int out_of_range = 0;
    for (i = 0; i < 9; i++) {
        int n = input(i);
        if (n > 8) {
            out_of_range++;
            continue;
        }
        bins[n / 3]++;
    }
    for (i = 0; i < 3; i++)
        if (bins[i] > bins[largest])
            largest = i;
    observe(largest);
    observe(out_of_range);
    return 0;
}
