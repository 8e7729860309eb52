/* A case that falls into the next. */
#include "observe.h"

int main(void)
{
    int x = 0;
    int noise = 0;
    switch (input(0) % 4) {
    case 0:
        x += 1;
        noise = 1;
    case 1:
        x += 2;
        break;
    case 2:
        x += 4;
        noise = 2;
    default:
        x += 8;
    }
    noise++;
    observe(x);
    return 0;
}
