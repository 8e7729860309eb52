/* A structure is copied through pointers. */
#include "observe.h"

struct point {
    int x;
    int y;
};

static void copy(struct point *to, const struct point *from)
{
    *to = *from;
}

int main(void)
{
    struct point a = {1, 2};
    struct point b = {3, 4};
    struct point c = {5, 6};
    a.x = input(0);
    copy(&b, &a);
    copy(&c, &b);
    b.x = 0;
    observe(c.x);
    return 0;
}
