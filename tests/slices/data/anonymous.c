/* Members without a name around them. */
#include "observe.h"

struct cell {
    union {
        int a;
        int b;
    };
    int c;
};

int main(void)
{
    struct cell x;
    x.c = 1;
    x.a = 2;
    x.b = input(0);
    x.c = 7;
    observe(x.a);
    return 0;
}
