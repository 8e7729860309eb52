#include "msg.h"
#include "tree.h"

void spread_down(Bag *bag)
{
    int rank = msg_rank(), size = msg_size();
    if (rank == 0) {
        for (int to = 1; to < size; to++) {
            msg_send(&bag->count, 1, MPI_INT, to, COUNT, 100);
            msg_send(bag->items, bag->count, MPI_INT, to, DATA, 101);
        }
        return;
    }
    msg_recv(&bag->count, 1, MPI_INT, 0, COUNT, 100);
    msg_recv(bag->items, bag->count, MPI_INT, 0, DATA, 101);
}
