/* An error travels up through three calls. */
#include "observe.h"

static int last_error;

static int open_it(int n)
{
    if (n > 4) {
        last_error = 2;
        return -1;
    }
    return n;
}

static int load(int n)
{
    int handle = open_it(n);
    if (handle < 0)
        return -1;
    last_error = 0;
    return handle * 2;
}

int main(void)
{
    int r = load(input(0));
    int noise = 4;
    if (r < 0) {
        observe(last_error);
        return 0;
    }
    noise++;
    observe(r);
    return 0;
}
