/* Two buffers change places after every step. */
#include "observe.h"

int main(void)
{
    int a[4] = {0, 0, 0, 0};
    int b[4] = {0, 0, 0, 0};
    int *old = a;
    int *new = b;
    int step;
    int noise = 0;
    old[0] = input(0);
    for (step = 0; step < 3; step++) {
        int i;
        int *t;
        for (i = 1; i < 4; i++)
            new[i] = old[i - 1] + 1;
        new[0] = old[0];
        t = old;
        old = new;
        new = t;
        noise += step;
    }
    observe(old[3]);
    return 0;
}
