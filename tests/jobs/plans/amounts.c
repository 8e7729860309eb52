/* Ranks come to one collective operation on the world, with arguments that differ by what PLAN says: a letter for the function, and what rank 1 gives otherwise. Rank 4,
 * which is the root where there is one, never comes. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, in[64] = { 0 }, out[64] = { 0 };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *plan = getenv("PLAN");
    int is_odd = rank == 1, root = 4;
    int count = is_odd && plan[1] == 'n' ? 2 : 1;
    MPI_Op op = is_odd && plan[1] == 'o' ? MPI_MAX : MPI_SUM;
    MPI_Datatype type = MPI_INT;
    /* The same bytes, in other words. */
    if (rank == 2 && plan[0] != 'A' && plan[0] != 'S') {
        type = MPI_BYTE;
        count *= sizeof(int);
    }
    while (rank == 4) sleep(1);
    switch (plan[0]) {
    case 'A': MPI_Allreduce(in, out, count, type, op, MPI_COMM_WORLD); break;
    case 'S': MPI_Scan(in, out, count, type, op, MPI_COMM_WORLD); break;
    case 'B': MPI_Bcast(in, count, type, root, MPI_COMM_WORLD); break;
    case 'C': MPI_Scatter(in, 7, type, out, count, type, root, MPI_COMM_WORLD); break;
    case 'G': MPI_Allgather(rank == 0 ? MPI_IN_PLACE : in, rank == 0 ? 9 : count, type, out, count, type, MPI_COMM_WORLD); break;
    case 'T': MPI_Alltoall(in, count, type, out, count, type, MPI_COMM_WORLD); break;
    }
    for (;;) sleep(1);
}
