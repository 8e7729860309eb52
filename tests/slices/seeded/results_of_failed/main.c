#include "crew.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        struct plan plan;
        plan_make(&plan, 30);
        lead(&plan, MPI_COMM_WORLD);
        printf("%g, %d refused\n", plan.best, plan.refused);
    } else {
        follow(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
