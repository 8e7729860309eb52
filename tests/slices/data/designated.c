/* Initialisers by name. */
#include "observe.h"

struct options {
    int width;
    int height;
    int depth;
};

int main(void)
{
    int n = input(0);
    int m = input(1);
    struct options o = {
        .height = n,
        .width = m,
    };
    m = 0;
    o.depth = 4;
    observe(o.height);
    return 0;
}
