/* A list is turned round in place. */
#include "observe.h"

struct node {
    struct node *next;
    int value;
};

static struct node *reverse(struct node *head)
{
    struct node *done = 0;
    int turned = 0;
    while (head) {
        struct node *next = head->next;
        head->next = done;
        done = head;
        head = next;
        turned++;
    }
    return done;
}

int main(void)
{
    struct node nodes[4];
    struct node *head;
    int i;
    for (i = 0; i < 4; i++) {
        nodes[i].value = input(i);
        nodes[i].next = i < 3 ? &nodes[i + 1] : 0;
    }
    head = reverse(nodes);
    observe(head->value * 10 + head->next->value);
    return 0;
}
