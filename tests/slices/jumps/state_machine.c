/* Labels as states. */
#include "observe.h"

int main(void)
{
    int i = 0;
    int letters = 0;
    int numbers = 0;
start:
    if (i >= 6)
        goto done;
    if (input(i) > 4)
        goto number;
    letters++;
    i++;
    goto start;
number:
    numbers++;
    i++;
    goto start;
done:
    observe(letters);
    observe(numbers);
    return 0;
}
