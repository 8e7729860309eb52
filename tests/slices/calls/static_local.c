/* A variable that outlives the call. */
#include "observe.h"

static int next(void)
{
    static int state = 3;
    static int spare = 0;
    spare = spare + state;
    state = state * 2 + 1;
    return state;
}

int main(void)
{
    int i;
    int last = 0;
    for (i = 0; i < input(0); i++)
        last = next();
    observe(last);
    return 0;
}
