/* Ranks come to one collective operation on the world, with arguments that differ by what PLAN says: a letter for the function, and what rank 1 gives otherwise. Rank 4,
 * which is the root where there is one, never comes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
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
    if (rank == 2 && !strchr("ASRa", plan[0])) {
        type = MPI_BYTE;
        count *= sizeof(int);
    }
    /* Of lists of counts rank 1 has another one, and rank 2 the same in another type. */
    int size, counts[64], starts[64];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        counts[i] = i == 3 ? count : rank == 2 && plan[0] == 'V' ? sizeof(int) : 1;
        starts[i] = 4 * i;
    }
    if (is_odd && plan[1] == 'r') root = 3;
    while (rank == 4) sleep(1);
    switch (plan[0]) {
    case 'A': MPI_Allreduce(in, out, count, type, op, MPI_COMM_WORLD); break;
    case 'S': MPI_Scan(in, out, count, type, op, MPI_COMM_WORLD); break;
    case 'B': MPI_Bcast(in, count, type, root, MPI_COMM_WORLD); break;
    case 'C': MPI_Scatter(in, 7, type, out, count, type, root, MPI_COMM_WORLD); break;
    case 'G': MPI_Allgather(rank == 0 ? MPI_IN_PLACE : in, rank == 0 ? 9 : count, type, out, count, type, MPI_COMM_WORLD); break;
    case 'T': MPI_Alltoall(in, count, type, out, count, type, MPI_COMM_WORLD); break;
    case 'V': MPI_Allgatherv(in, counts[rank], type, out, counts, starts, type, MPI_COMM_WORLD); break;
    case 'R': MPI_Reduce_scatter(in, out, counts, MPI_INT, op, MPI_COMM_WORLD); break;
    case 'b': MPI_Ibcast(in, count, type, root, MPI_COMM_WORLD, &request); break;
    case 'a': MPI_Iallreduce(in, out, count, MPI_INT, op, MPI_COMM_WORLD, &request); break;
    case 'g': MPI_Iallgather(in, count, type, out, count, type, MPI_COMM_WORLD, &request); break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (;;) sleep(1);
}
