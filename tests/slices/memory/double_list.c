/* A list with links in both directions. */
#include "observe.h"

struct node {
    struct node *next;
    struct node *prev;
    int value;
};

static void append(struct node *at, struct node *n)
{
    n->next = at->next;
    n->prev = at;
    at->next->prev = n;
    at->next = n;
}

int main(void)
{
    struct node head;
    struct node a;
    struct node b;
    head.next = &head;
    head.prev = &head;
    head.value = 0;
    a.value = input(0);
    b.value = input(1);
    append(&head, &a);
    append(&head, &b);
    observe(head.next->value);
    observe(head.prev->value);
    return 0;
}
