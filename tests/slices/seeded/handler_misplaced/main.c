/* Ranks post events to their neighbours, which handle them by kind. */
#include "events.h"

static enum kind choose(const struct tree *tree, int step)
{
    if (tree->rank == 2 && step == 3)
        return EVENT_SPLIT;
    return step % 2 ? EVENT_MERGE : EVENT_GROW;
}

int main(int argc, char **argv)
{
    struct tree tree = {.leaves = 8};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &tree.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tree.size);
    register_handlers();
    for (int step = 0; step < 6; step++) {
        post(&tree, (tree.rank + 1) % tree.size, choose(&tree, step));
        dispatch(&tree);
        settle(&tree);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
