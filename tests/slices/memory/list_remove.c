/* A node is taken out through a pointer to the link. */
#include "observe.h"

struct node {
    struct node *next;
    int value;
};

static int removed;

static void drop(struct node **link, int value)
{
    while (*link) {
        if ((*link)->value == value) {
            *link = (*link)->next;
            removed++;
            return;
        }
        link = &(*link)->next;
    }
}

int main(void)
{
    struct node c = {0, 3};
    struct node b = {&c, 2};
    struct node a = {&b, 1};
    struct node *head = &a;
    int sum = 0;
    drop(&head, input(0) % 4);
    while (head) {
        sum = sum * 10 + head->value;
        head = head->next;
    }
    observe(sum);
    return 0;
}
