/* Does a collective operation without data wait for anybody? Rank 1 enters each one second late; prints how long the others were inside at
 * least and at most. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank; double a[64] = {0}, b[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int kind = 0; kind < 4; kind++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) sleep(1);
    double begun = MPI_Wtime();
    if (kind == 0) MPI_Allreduce(a, b, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (kind == 1) MPI_Allgather(a, 0, MPI_DOUBLE, b, 0, MPI_DOUBLE, MPI_COMM_WORLD);
    if (kind == 2) MPI_Alltoall(a, 0, MPI_DOUBLE, b, 0, MPI_DOUBLE, MPI_COMM_WORLD);
    if (kind == 3) MPI_Reduce_scatter_block(a, b, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double took = MPI_Wtime() - begun, least, most;
    took = rank == 1 ? 1e9 : took;
    MPI_Reduce(&took, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    took = rank == 1 ? 0 : took;
    MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("kind %d: %.3f to %.3f s\n", kind, least, most);
  }
  MPI_Finalize();
}
