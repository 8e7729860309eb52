#include "queue.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct sim s;
    int rounds = 0;
    MPI_Init(&argc, &argv);
    sim_make(&s, MPI_COMM_WORLD);
    while (s.done < s.total) {
        int worked = sim_round(&s);
        s.done += sim_count(&s, worked);
        rounds++;
    }
    unsigned all;
    MPI_Reduce(&s.seed, &all, 1, MPI_UNSIGNED, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (s.rank == 0)
        printf("%d rounds, %u\n", rounds, all);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
