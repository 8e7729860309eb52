/* A whole structure is copied. */
#include "observe.h"

struct point {
    int x;
    int y;
};

int main(void)
{
    struct point a;
    struct point b;
    a.x = input(0);
    a.y = input(1);
    b = a;
    a.x = 100;
    b.y = 5;
    observe(b.x);
    observe(a.y);
    return 0;
}
