/* A branch that does nothing but jump. */
#include "observe.h"

int main(void)
{
    int i = 0;
    int x = 0;
    int noise = 0;
    while (i < 10) {
        i = i + 1;
        noise = i;
        if (input(i % 4) != 3) {
            ;
        } else {
            goto next;
        }
        x = x + i;
    next:
        noise++;
    }
    noise = 1;
    observe(x);
    return 0;
}
