#include "group.h"
#include <stdio.h>
#include <stdlib.h>

static int work(int rank, int round)
{
    int all = 0;
    for (int i = 0; i < 100 * rank + round; i++)
        all += i % 7;
    return round < 3 ? rank + 1 : 5 + rank / 2 % 2;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct group group;
    group_open(&group, MPI_COMM_WORLD);
    int count = 200000;
    double *values = calloc(count, sizeof *values);
    for (int round = 0; round < 10; round++) {
        group_measure(&group, work(group.rank, round));
        group_elect(&group);
        if (group.leader == group.rank)
            values[round] = round;
        group_tell(&group, values, count);
        MPI_Barrier(group.comm);
    }
    if (group.rank == 0)
        printf("%g\n", values[9]);
    free(values);
    MPI_Finalize();
    return 0;
}
