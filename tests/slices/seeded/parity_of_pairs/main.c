#include "swap.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    static struct keys k;
    MPI_Init(&argc, &argv);
    keys_make(&k, MPI_COMM_WORLD, 1000);
    keys_sort(&k);
    int ends[2] = {k.key[0], k.key[k.count - 1]}, all[128];
    MPI_Gather(ends, 2, MPI_INT, all, 2, MPI_INT, 0, k.comm);
    for (int r = 1; k.rank == 0 && r < k.size; r++)
        if (all[2 * r] < all[2 * r - 1])
            printf("not sorted\n");
    MPI_Finalize();
    return 0;
}
