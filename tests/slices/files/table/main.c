/* A table in one file names functions of another. */
#include "observe.h"
#include "ops.h"

static const struct op ops[] = {
    {1, op_add},
    {2, op_scale},
};

int main(void)
{
    int code = input(0) % 2 + 1;
    int i;
    int r = 0;
    int noise = op_add(1, 2);
    for (i = 0; i < 2; i++)
        if (ops[i].code == code)
            r = ops[i].run(input(1), 3);
    noise++;
    observe(r);
    return 0;
}
