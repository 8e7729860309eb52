/* A callback across files. */
#include "observe.h"
#include "walk.h"

static int sum;
static int last;

static void visit(int n)
{
    sum += n;
    last = n;
}

int main(void)
{
    walk(input(0), visit);
    observe(sum);
    observe(last);
    return 0;
}
