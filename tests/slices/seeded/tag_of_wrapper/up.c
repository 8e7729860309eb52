#include "msg.h"
#include "tree.h"

void bag_add(Bag *bag, int item)
{
    if (bag->count < 256)
        bag->items[bag->count++] = item;
}

/* Pairs, then pairs of pairs: whoever is not the first of its group hands over what it has. */
void merge_up(Bag *bag)
{
    int rank = msg_rank(), size = msg_size();
    for (int level = 0, step = 1; step < size; level++, step *= 2) {
        if (rank % (2 * step) == step) {
            msg_send(&bag->count, 1, MPI_INT, rank - step, COUNT, level);
            msg_send(bag->items, bag->count, MPI_INT, rank - step, DATA, step); /* BUG: level */
            return;
        }
        if (rank + step < size) {
            Bag other;
            msg_recv(&other.count, 1, MPI_INT, rank + step, COUNT, level);
            msg_recv(other.items, other.count, MPI_INT, rank + step, DATA, level);
            for (int i = 0; i < other.count; i++)
                bag_add(bag, other.items[i]);
        }
    }
}
