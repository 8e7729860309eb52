/* Out of two loops at once. */
#include "observe.h"

int main(void)
{
    int i;
    int j;
    int looked = 0;
    int noise = 0;
    for (i = 0; i < 4; i++) {
        for (j = 0; j < 4; j++) {
            looked++;
            noise += j;
            if (i + j > input(0))
                goto found;
        }
    }
    looked = -1;
found:
    noise = 1;
    observe(looked);
    return 0;
}
