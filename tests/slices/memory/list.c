/* A linked list, read from its head. */
#include "observe.h"
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
    int spare;
};

static struct node *push(struct node *head, int value)
{
    struct node *n = malloc(sizeof *n);
    n->next = head;
    n->value = value;
    n->spare = value + 1;
    return n;
}

int main(void)
{
    struct node *head = 0;
    struct node *n;
    int i;
    int sum = 0;
    for (i = 0; i < 4; i++)
        head = push(head, input(i));
    for (n = head; n; n = n->next)
        sum = sum * 10 + n->value;
    observe(sum);
    while (head) {
        n = head->next;
        free(head);
        head = n;
    }
    return 0;
}
