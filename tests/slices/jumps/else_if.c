/* A chain of else if. */
#include "observe.h"

int main(void)
{
    int n = input(0);
    int x = 0;
    int noise = 0;
    if (n < 2) {
        x = 1;
        noise = 1;
    } else if (n < 4) {
        noise = 2;
    } else if (n < 6) {
        x = 3;
    } else {
        noise = 4;
        x = 4;
    }
    observe(x);
    observe(noise);
    return 0;
}
