/* The address of a member. */
#include "observe.h"

struct counts {
    int good;
    int bad;
};

static void bump(int *n)
{
    *n += 1;
}

int main(void)
{
    struct counts c = {0, 0};
    int i;
    for (i = 0; i < 6; i++) {
        if (input(i) > 4)
            bump(&c.good);
        else
            bump(&c.bad);
    }
    observe(c.good);
    observe(c.bad);
    return 0;
}
