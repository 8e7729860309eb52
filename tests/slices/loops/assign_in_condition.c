/* The condition assigns. */
#include "observe.h"

int main(void)
{
    int i = 0;
    int n;
    int sum = 0;
    int noise = 0;
    while ((n = input(i)) < 8 && i < 9) {
        sum += n;
        noise = n;
        i++;
    }
    noise = noise - 1;
    observe(sum);
    return 0;
}
