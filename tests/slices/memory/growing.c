/* An array that grows while it is filled. */
#include "observe.h"
#include <stdlib.h>

struct list {
    int *items;
    int used;
    int room;
    int moves;
};

static void push(struct list *l, int item)
{
    if (l->used == l->room) {
        l->room = l->room ? 2 * l->room : 1;
        l->items = realloc(l->items, (size_t) l->room * sizeof *l->items);
        l->moves++;
    }
    l->items[l->used] = item;
    l->used++;
}

int main(void)
{
    struct list l = {0, 0, 0, 0};
    int i;
    for (i = 0; i < 6; i++)
        push(&l, input(i));
    observe(l.items[3]);
    observe(l.moves);
    free(l.items);
    return 0;
}
