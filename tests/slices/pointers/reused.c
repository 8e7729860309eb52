/* One pointer serves two purposes, one after the other. */
#include "observe.h"

int main(void)
{
    int first[2] = {1, 2};
    int second[2] = {3, 4};
    int *p = first;
    int kept;
    p[1] = input(0);
    kept = p[1];
    p = second;
    p[1] = 100;
    observe(kept);
    observe(second[1]);
    return 0;
}
