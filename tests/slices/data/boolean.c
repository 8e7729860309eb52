/* Truth values. */
#include "observe.h"
#include <stdbool.h>

int main(void)
{
    bool ready = false;
    bool noise = true;
    int n = input(0);
    ready = n;
    noise = !ready;
    if (ready)
        observe(1);
    observe(noise);
    return 0;
}
