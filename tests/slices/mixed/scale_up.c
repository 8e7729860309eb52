/* Numbers of several kinds. */
#include "observe.h"

int main(void)
{
    double rate = 1.5;
    float part = 0.25f;
    long total = 0;
    int n = input(0);
    double noise = 9.0;
    total = (long) (n * rate * 100);
    noise = noise * part;
    total += (long) (part * 8);
    observe(total);
    return 0;
}
