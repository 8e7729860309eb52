/* Names for numbers. */
#include "observe.h"

enum colour { RED = 1, GREEN = 4, BLUE };

int main(void)
{
    enum colour c = RED;
    enum colour d = GREEN;
    if (input(0) > 5)
        c = BLUE;
    d = RED;
    observe(c);
    observe(d);
    return 0;
}
