/* A value is saved, changed, and put back. */
#include "observe.h"

static int mode = 1;

static int with_mode(int m, int n)
{
    int saved = mode;
    int result;
    mode = m;
    result = n * mode;
    mode = saved;
    return result;
}

int main(void)
{
    int a;
    mode = input(1);
    a = with_mode(3, input(0));
    a = a + 1;
    observe(mode);
    observe(a);
    return 0;
}
