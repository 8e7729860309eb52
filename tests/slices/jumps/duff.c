/* Cases inside a loop. */
#include "observe.h"

int main(void)
{
    int count = input(0) + 1;
    int rounds = (count + 3) / 4;
    int sum = 0;
    int noise = 3;
    switch (count % 4) {
    case 0:
        do {
            sum++;
    case 3:
            sum += 2;
    case 2:
            sum += 3;
    case 1:
            sum += 4;
        } while (--rounds > 0);
    }
    noise = noise + sum;
    observe(sum);
    return 0;
}
