/* A return from inside two loops. */
#include "observe.h"

static int find(int wanted)
{
    int i;
    int j;
    int seen = 0;
    for (i = 1; i < 6; i++) {
        for (j = 1; j < 6; j++) {
            seen++;
            if (i * j > wanted)
                return i;
        }
    }
    return seen;
}

int main(void)
{
    observe(find(input(0) * 3));
    return 0;
}
