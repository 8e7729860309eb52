/* A structure in a structure. */
#include "observe.h"

struct inner {
    int a;
    int b;
};

struct outer {
    struct inner left;
    struct inner right;
    int own;
};

int main(void)
{
    struct outer o;
    struct inner spare;
    o.left.a = input(0);
    o.left.b = 2;
    o.right.a = 3;
    o.right.b = input(1);
    o.own = 5;
    spare = o.left;
    o.left.a = 9;
    observe(spare.a);
    observe(o.right.b);
    return 0;
}
