/* A break of the switch is none of the loop; a continue is one of the loop. */
#include "observe.h"

int main(void)
{
    int i;
    int sum = 0;
    int noise = 0;
    for (i = 0; i < 6; i++) {
        switch (input(i) % 3) {
        case 0:
            continue;
        case 1:
            sum += 1;
            break;
        default:
            sum += 10;
        }
        sum += 100;
        noise = sum;
    }
    noise = i;
    observe(sum);
    return 0;
}
