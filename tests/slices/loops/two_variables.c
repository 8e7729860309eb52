/* A loop over two variables. */
#include "observe.h"

int main(void)
{
    int i;
    int j;
    int crossed = 0;
    for (i = 0, j = 9; i < j; i++, j -= 2)
        crossed++;
    j = input(0);
    observe(crossed + i);
    observe(j);
    return 0;
}
