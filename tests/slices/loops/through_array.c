/* Each cell needs the one before it. */
#include "observe.h"

int main(void)
{
    int f[10];
    int i;
    int noise = 0;
    f[0] = 1;
    f[1] = input(0);
    for (i = 2; i < 10; i++) {
        f[i] = f[i - 1] + f[i - 2];
        noise += f[i];
    }
    noise = f[3];
    observe(f[9]);
    return 0;
}
