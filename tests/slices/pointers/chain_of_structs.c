/* Several arrows in a row. */
#include "observe.h"

struct node {
    struct node *next;
    int value;
};

int main(void)
{
    struct node a;
    struct node b;
    struct node c;
    a.next = &b;
    b.next = &c;
    c.next = 0;
    a.value = 1;
    b.value = 2;
    a.next->next->value = input(0);
    observe(c.value);
    observe(b.value);
    return 0;
}
