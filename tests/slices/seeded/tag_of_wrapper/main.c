#include "msg.h"
#include "tree.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    msg_init(MPI_COMM_WORLD);
    Bag bag = {.count = 0};
    for (int i = 0; i < 5 + msg_rank(); i++)
        bag_add(&bag, 100 * msg_rank() + i);
    merge_up(&bag);
    spread_down(&bag);
    long sum = 0;
    for (int i = 0; i < bag.count; i++)
        sum += bag.items[i];
    printf("%d: %d items, %ld\n", msg_rank(), bag.count, sum);
    MPI_Finalize();
    return 0;
}
