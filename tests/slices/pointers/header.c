/* A header in front of an array, reached by a negative index. */
#include "observe.h"
#include <stdlib.h>

static int *make(int n)
{
    int *block = malloc((n + 2) * sizeof(int));
    int i;
    block[0] = n;
    block[1] = 77;
    for (i = 0; i < n; i++)
        block[2 + i] = 5;
    return block + 2;
}

static int length(const int *array)
{
    return array[-2];
}

struct head {
    int count;
    int flags;
};

static char *text(int count)
{
    struct head *h = malloc(sizeof *h + 8);
    h->count = count;
    h->flags = 3;
    return (char *) (h + 1);
}

static int count(char *t)
{
    return ((struct head *) t - 1)->count;
}

static int flags(char *t)
{
    struct head *h = (struct head *) t;
    return h[-1].flags;
}

int main(void)
{
    int *a = make(input(0) + 1);
    char *t = text(input(1));
    a[0] = 6;
    t[0] = 'x';
    observe(length(a));
    observe(a[-1]);
    observe(count(t));
    observe(flags(t));
    free(a - 2);
    return 0;
}
