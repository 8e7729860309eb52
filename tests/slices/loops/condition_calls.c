/* The condition has an effect that somebody reads. */
#include "observe.h"

static int asked;

static int more(int n)
{
    asked++;
    return n < input(0);
}

int main(void)
{
    int n = 0;
    int noise = 1;
    while (more(n)) {
        n += 2;
        noise *= 2;
    }
    noise = 0;
    observe(asked);
    return 0;
}
