/* A value out of statements, another one in each build, and a structure handed over. */
#include "observe.h"

struct pair {
    int a;
    int b;
};

static int sum(struct pair p)
{
    return p.a + p.b;
}

static int kept;

#ifdef OTHER
#define LARGER(x, y) ({ int x_ = (x), y_ = (y); x_ > y_ ? x_ : y_; })
#define TOTAL(p) (sum(p) + 1)
#else
#define LARGER(x, y) ({ int x_ = (x); int y_ = (y); kept = x_; x_ < y_ ? y_ : x_; })
#define TOTAL(p) sum(p)
#endif

int main(void)
{
    int x = input(0);
    int noise = 3;
    int larger = 1 + LARGER(x, input(1));
    struct pair p = {1, 2};
    struct pair q = {3, 4};
    p.b = input(2);
    q.b = noise;
    noise = TOTAL(q);
    observe(larger);
    observe(kept);
    observe(TOTAL(p));
    return 0;
}
