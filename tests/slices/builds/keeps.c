/* A macro that keeps a pointer in what another points to. */
#include "observe.h"

struct node {
    struct node *next;
    int value;
};

static void append(struct node *list, struct node *more)
{
    list->next = more;
}

#if defined(A)
#define LINK(list, more) ((list)->next = (more))
#elif defined(B)
#define LINK(list, more) append(list, more)
#elif defined(C)
#define LINK(list, more) (append((list), (more)), 0)
#elif defined(D)
#define LINK(list, more) do { (list)->next = (more); } while (0)
#else
#define LINK(list, more) do { append(list, more); (more)->next = 0; } while (0)
#endif

int main(void)
{
    struct node a = {0, 1};
    struct node b = {0, 2};
    struct node c = {0, 3};
    LINK(&c, &a);
    LINK(&a, &b);
    b.value = input(0);
    c.value = input(1);
    observe(a.next->value);
    return 0;
}
