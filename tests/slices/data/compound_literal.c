/* An object without a name. */
#include "observe.h"

struct pair {
    int a;
    int b;
};

static int product(const struct pair *p)
{
    return p->a * p->b;
}

int main(void)
{
    int n = input(0);
    int m = 3;
    struct pair p;
    p = (struct pair) {n, m};
    m = 0;
    observe(product(&p));
    observe(product(&(struct pair) {2, m}));
    return 0;
}
