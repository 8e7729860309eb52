/* The break comes after what counts: it still decides how often. */
#include "observe.h"

int main(void)
{
    int sum = 0;
    int i = 0;
    int other = 0;
    while (i < 9) {
        sum += i;
        i++;
        other = sum;
        if (input(i) > 6)
            break;
    }
    other++;
    observe(sum);
    return 0;
}
