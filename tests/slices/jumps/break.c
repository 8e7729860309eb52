/* A break decides how often. */
#include "observe.h"

int main(void)
{
    int i;
    int noise = 0;
    for (i = 0; i < 20; i++) {
        noise += 2;
        if (i * i > input(0))
            break;
    }
    noise = 0;
    observe(i);
    return 0;
}
