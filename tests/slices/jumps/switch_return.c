/* Returns from within a switch. */
#include "observe.h"

static int name(int n)
{
    int noise = 0;
    switch (n) {
    case 1:
        return 10;
    case 2:
        noise = 4;
        return 20;
    case 3:
        noise = 5;
        break;
    }
    return 30 + noise - noise;
}

int main(void)
{
    observe(name(input(0) % 4));
    return 0;
}
