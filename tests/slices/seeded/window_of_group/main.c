#include "rma.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct shared s;
    double seen[30], sum = 0;
    MPI_Init(&argc, &argv);
    shared_make(&s, MPI_COMM_WORLD, 30);
    for (int step = 0; step < 4; step++) {
        shared_offer(&s);
        shared_take(&s, seen);
        shared_end(&s);
        for (int i = 0; i < s.count; i++)
            s.mine[i] = 0.5 * (s.mine[i] + seen[i]);
    }
    for (int i = 0; i < s.count; i++)
        sum += s.mine[i];
    printf("%d: %g\n", s.rank, sum);
    MPI_Win_free(&s.win);
    MPI_Finalize();
    return 0;
}
