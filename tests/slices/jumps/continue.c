/* A continue decides what is skipped. */
#include "observe.h"

int main(void)
{
    int i;
    int odd = 0;
    int all = 0;
    for (i = 0; i < 8; i++) {
        all++;
        if (input(i) % 2 == 0)
            continue;
        odd++;
    }
    observe(odd);
    observe(all);
    return 0;
}
