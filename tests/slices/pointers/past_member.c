/* A pointer to one member that is moved to the members beside it. */
#include "observe.h"

struct vec {
    int x;
    int y;
    int z;
};

struct block {
    int head;
    int data[4];
};

static void put(int *p, int n, int value)
{
    while (n > 0) {
        *p++ = value;
        n = n - 1;
    }
}

int main(void)
{
    struct vec a = {1, 2, 3};
    struct vec b = {4, 5, 6};
    struct vec c = {7, 8, 9};
    struct block d = {0, {1, 2, 3, 4}};
    int unused = input(2);
    int *p = &a.x;
    p[1] = input(0);
    observe(a.y);
    put(&b.x, 3, input(1));
    observe(b.z);
    p = &c.z;
    p -= 2;
    *p = input(3);
    observe(c.x);
    p = d.data;
    p[-1] = input(4);
    observe(d.head);
    p = &a.z;
    *p = unused;
    return 0;
}
