/* A table with initial values. */
#include "observe.h"

static const int primes[] = {
    2, 3, 5,
    7, 11, 13,
    17, 19, 23, 29,
};

static int squares[] = {0, 1, 4, 9};

int main(void)
{
    squares[1] = 100;
    observe(primes[input(0)]);
    observe(squares[1]);
    return 0;
}
