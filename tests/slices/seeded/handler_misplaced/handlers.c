#include "events.h"

static void grow(struct tree *tree, int from)
{
    tree->leaves += 1;
    (void)from;
}

static void split(struct tree *tree, int from)
{
    int answer = tree->leaves;
    tree->leaves *= 2;
    MPI_Send(&answer, 1, MPI_INT, from, 91, MPI_COMM_WORLD);
}

static void merge(struct tree *tree, int from)
{
    int answer = tree->leaves;
    tree->leaves = (tree->leaves + 1) / 2;
    MPI_Send(&answer, 1, MPI_INT, from, 91, MPI_COMM_WORLD);
}

void register_handlers(void)
{
    set_handler(EVENT_GROW, grow);
    set_handler(EVENT_SPLIT, split);
    set_handler(EVENT_MERGE, merge);
    set_handler(EVENT_SPLIT, grow); /* BUG: an old line that overrides the one above */
}
