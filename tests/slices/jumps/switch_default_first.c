/* The default stands first and falls through. */
#include "observe.h"

int main(void)
{
    int x = 0;
    int noise = 0;
    switch (input(0)) {
    default:
        x = 1;
        noise = x;
    case 3:
        x = x + 10;
        break;
    case 4:
        x = 20;
    }
    noise = 4;
    observe(x);
    return 0;
}
