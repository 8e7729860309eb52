/* Loops whose counters gcc replaces by a pointer: their values are how far it has come, divided by the length of a step. */

#include <stddef.h>

struct cell {
    double value[15];
};

struct plane {
    struct cell cell[15];
};

static struct plane box[8];
volatile double sink;

__attribute__((noipa)) void visit(double *at)
{
    sink += *at;
}

__attribute__((noipa)) void rows(struct plane *all, long count)
{
    long k;
    unsigned j;

    for (k = 0; k < count; k++)
        for (j = 0; j < 15; j++)
            visit(all[k].cell[j].value);
}

__attribute__((noipa)) void back(short *all, int count)
{
    int i;

    for (i = count - 1; i >= 0; i--)
        visit((double *)(all + 60 * i));
}

int main(void)
{
    rows(box, 4);
    back((short *)box, 9);
    return 0;
}
