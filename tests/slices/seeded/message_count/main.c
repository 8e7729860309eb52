#include "graph.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    long sum = 0, total;
    struct graph graph;
    struct plan plan;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    graph_make(&graph, rank, size);
    plan_make(&plan, &graph);
    for (int round = 0; round < plan.rounds; round++)
        deliver(&plan, &graph, round, &sum);
    MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld\n", total);
    MPI_Finalize();
    return 0;
}
