/* A macro that names a place. */
#include "observe.h"

struct state {
    int a;
    int b;
};

#define A(s) ((s)->a)
#define B(s) ((s)->b)

int main(void)
{
    struct state s;
    struct state *p = &s;
    A(p) = input(0);
    B(p) = 4;
    A(p) += 2;
    B(p) = A(p);
    observe(A(p));
    return 0;
}
