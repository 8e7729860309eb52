/* A flag ends the loop. */
#include "observe.h"

int main(void)
{
    int done = 0;
    int i = 0;
    int found = -1;
    int noise = 0;
    while (!done) {
        noise += i;
        if (input(i) > 6) {
            done = 1;
            found = i;
        }
        i++;
        if (i == 9)
            done = 1;
    }
    noise = 2;
    observe(found);
    return 0;
}
