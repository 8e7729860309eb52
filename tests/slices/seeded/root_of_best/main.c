#include "swarm.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct swarm s;
    MPI_Init(&argc, &argv);
    swarm_make(&s, MPI_COMM_WORLD);
    for (int round = 0; round < 50; round++) {
        swarm_lead(&s);
        swarm_move(&s);
        if (round % 10 == 9)
            MPI_Barrier(s.comm);
    }
    if (s.rank == 0)
        printf("%g\n", cost(s.lead));
    MPI_Finalize();
    return 0;
}
