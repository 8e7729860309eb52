/* A value is computed once, when it is first asked for. */
#include "observe.h"

static int cached;
static int value;
static int computed;

static int get(void)
{
    if (!cached) {
        value = input(0) * 3;
        computed++;
        cached = 1;
    }
    return value;
}

int main(void)
{
    int a = get();
    int b = get();
    a = 0;
    observe(b);
    observe(computed);
    return 0;
}
