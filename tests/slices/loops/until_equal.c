/* A loop that ends when two sides meet. */
#include "observe.h"

int main(void)
{
    int a = input(0) + 1;
    int b = input(1) + 1;
    int rounds = 0;
    while (a != b) {
        if (a > b)
            a -= b;
        else
            b -= a;
        rounds++;
    }
    observe(a);
    observe(rounds);
    return 0;
}
