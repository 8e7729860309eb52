/* The structure around a member, by a statement expression with typeof. */
#include "observe.h"
#include <stddef.h>

#define container_of(ptr, type, member) ({ \
    const __typeof__(((type *)0)->member) *inner = (ptr); \
    (type *)((char *)inner - offsetof(type, member)); })

struct link {
    struct link *next;
};

struct item {
    int value;
    int other;
    struct link link;
};

static void set(struct link *link, int value)
{
    struct item *item = container_of(link, struct item, link);
    item->value = value;
}

int main(void)
{
    struct item a;
    struct item b;
    struct link *at;
    int sum = 0;
    a.value = 1;
    a.other = input(1);
    b.value = 2;
    b.other = 4;
    a.link.next = &b.link;
    b.link.next = NULL;
    set(&a.link, input(0));
    set(a.link.next, 7);
    for (at = &a.link; at; at = at->next)
        sum += container_of(at, struct item, link)->value;
    observe(sum);
    observe(a.value);
    observe(b.value);
    return 0;
}
