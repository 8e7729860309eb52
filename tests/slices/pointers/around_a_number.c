/* From the address of a number to the structure around it, and on along its pointers. */
#include "observe.h"
#include <stddef.h>

struct node {
    struct node *next;
    int count;
    int value;
};

static struct node *around(int *count)
{
    return (struct node *) ((char *) count - offsetof(struct node, count));
}

int main(void)
{
    struct node a = {0, 0, 1};
    struct node b = {0, 0, 2};
    int *p = &a.count;
    a.next = &b;
    b.value = input(0);
    a.value = input(1);
    observe(around(p)->next->value);
    observe(around(p)->value);
    return 0;
}
