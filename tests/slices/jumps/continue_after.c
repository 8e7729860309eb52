/* A continue that skips a second chance. */
#include "observe.h"

int main(void)
{
    int i = 0;
    int hits = 0;
    int noise = 0;
    while (i < 8) {
        i++;
        if (input(i) > 5) {
            noise = i;
            continue;
        }
        if (i % 2)
            continue;
        hits += 3;
    }
    noise = hits;
    observe(hits);
    return 0;
}
