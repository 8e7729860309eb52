/* A function sets the caller's pointer. */
#include "observe.h"

static int left = 1;
static int right = 2;

static void choose(int side, int **where)
{
    if (side > 4)
        *where = &left;
    else
        *where = &right;
}

int main(void)
{
    int *p = 0;
    int noise = input(3);
    choose(input(0), &p);
    noise += 2;
    observe(*p);
    return 0;
}
