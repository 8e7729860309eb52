/* A loop that only the end of the program leaves. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int n = 0;
    int noise = 4;
    for (;;) {
        noise++;
        observe(n);
        n++;
        if (n > input(0))
            exit(0);
    }
}
