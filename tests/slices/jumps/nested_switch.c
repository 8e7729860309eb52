/* A switch within a case. */
#include "observe.h"

int main(void)
{
    int x = 0;
    int noise = 0;
    switch (input(0) % 2) {
    case 0:
        switch (input(1) % 2) {
        case 0:
            x = 1;
            break;
        case 1:
            x = 2;
            noise = 9;
        }
        break;
    default:
        x = 3;
    }
    noise = 1;
    observe(x);
    return 0;
}
