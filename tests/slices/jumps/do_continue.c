/* A continue in a do loop goes to the condition. */
#include "observe.h"

int main(void)
{
    int i = 0;
    int sum = 0;
    int noise = 0;
    do {
        i++;
        if (input(i) > 4)
            continue;
        sum += i;
        noise += sum;
    } while (i < 6);
    noise = 0;
    observe(sum);
    return 0;
}
