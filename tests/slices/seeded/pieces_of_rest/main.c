/* Rows go to the next rank in pieces, of 130 numbers in all. */
#include "plan.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    struct plan plan;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int total = argc > 1 ? atoi(argv[1]) : 130;
    make_plan(&plan, rank, size, total);
    double *mine = calloc(plan.out + CHUNK, sizeof *mine), *got = calloc(plan.in + CHUNK, sizeof *got);
    for (int i = 0; i < plan.out; i++)
        mine[i] = rank * 1000 + i;
    pass_on(&plan, mine, got, rank, size);
    double sum = 0, all;
    for (int i = 0; i < plan.in; i++)
        sum += got[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", all);
    MPI_Finalize();
    return 0;
}
