/* The result comes back through a parameter. */
#include "observe.h"

static void half(int value, int *result, int *rest)
{
    *result = value / 2;
    *rest = value % 2;
}

int main(void)
{
    int quotient = 0;
    int rest = 0;
    half(input(2) + 11, &quotient, &rest);
    observe(quotient);
    observe(rest);
    return 0;
}
