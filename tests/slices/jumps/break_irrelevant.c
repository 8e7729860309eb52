/* A break that decides nothing of what is observed. */
#include "observe.h"

int main(void)
{
    int i;
    int x = input(1);
    int noise = 0;
    for (i = 0; i < 9; i++) {
        noise += i;
        if (noise > input(0))
            break;
    }
    observe(x);
    return 0;
}
