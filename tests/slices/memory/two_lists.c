/* Two lists out of the same function. */
#include "observe.h"
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static void push(struct node **head, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = *head;
    *head = n;
}

static int pop(struct node **head)
{
    struct node *n = *head;
    int value = n->value;
    *head = n->next;
    free(n);
    return value;
}

int main(void)
{
    struct node *one = 0;
    struct node *two = 0;
    push(&one, input(0));
    push(&two, input(1));
    push(&one, 5);
    pop(&one);
    observe(pop(&one));
    pop(&two);
    return 0;
}
