/* Functions that live in a structure. */
#include "observe.h"

struct shape {
    int (*area)(const struct shape *);
    int width;
    int height;
};

static int rectangle(const struct shape *s)
{
    return s->width * s->height;
}

static int line(const struct shape *s)
{
    return s->width;
}

int main(void)
{
    struct shape a;
    struct shape b;
    a.width = input(0);
    a.height = 3;
    a.area = rectangle;
    b.width = 9;
    b.height = 9;
    b.area = line;
    observe(a.area(&a));
    return 0;
}
