/* A member of a member is set through a pointer to it, and read as a part of what it stands in. */
#include "observe.h"

struct inner {
    int set, other;
};

struct outer {
    int before;
    struct inner inside;
};

static void put(int *p, int v)
{
    *p = v;
}

static void fill(struct inner *p, int v)
{
    put(&p->set, v);
}

static int sum(struct inner x)
{
    return x.set + x.other;
}

int main(void)
{
    struct outer one = {0};
    fill(&one.inside, input(0));
    struct inner copy = one.inside;
    observe(copy.set);
    struct outer many[2] = {{0}};
    fill(&many[1].inside, input(1));
    struct inner again;
    again = many[1].inside;
    observe(again.set);
    struct outer given = {0};
    fill(&given.inside, input(2));
    put(&given.before, input(3));
    observe(sum(given.inside));
    observe(given.before);
    return 0;
}
