/* A loop that may not run at all. */
#include "observe.h"

int main(void)
{
    int x = 9;
    int i;
    int noise = 0;
    for (i = 5; i < input(0); i++) {
        x = i;
        noise++;
    }
    noise = x;
    observe(x);
    return 0;
}
