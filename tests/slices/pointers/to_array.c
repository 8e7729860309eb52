/* A pointer to a whole array. */
#include "observe.h"

static void fill(int (*where)[3], int value)
{
    int i;
    for (i = 0; i < 3; i++)
        (*where)[i] = value + i;
}

int main(void)
{
    int first[3];
    int second[3];
    fill(&first, input(0));
    fill(&second, input(1));
    observe(first[2]);
    return 0;
}
