/* Ranks come to one collective operation on the world, with arguments that differ by what PLAN says: a letter for the function, and what rank 1 gives otherwise. Rank 4,
 * which is the root where there is one, never comes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The even ranks are one side of an intercommunicator and the odd ones the other. Each gives each of the other side two integers, but rank 1 gives rank 2 one less; or all even ranks give rank 1
 * one, but rank 2 none. */
static void between_sides(int rank, const char *plan)
{
    MPI_Comm side, both;
    int in[64] = { 0 }, out[64] = { 0 }, gives[8], takes[8], places[8], is_other = plan[1] == 'n';
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
    for (int i = 0; i < 8; i++) {
        gives[i] = takes[i] = plan[0] == 'J' ? 1 : 2;
        places[i] = 8 * i;
    }
    while (rank == 4) sleep(1);
    if (plan[0] == 'I') {
        if (rank == 1 && is_other) gives[1]--;
        MPI_Alltoallv(in, gives, places, MPI_INT, out, takes, places, MPI_INT, both);
    } else {
        int root = rank % 2 == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
        MPI_Gatherv(in, rank == 2 && is_other ? 0 : 1, MPI_INT, out, takes, places, MPI_INT, root, both);
    }
}

/* What is prepared together is started in any order, also among other operations. Rank 4 starts nothing; to all others rank 1 gives less than they take. */
static void prepared(int rank, const char *plan)
{
#if MPI_VERSION >= 4
    int in[64] = { 0 }, out[64] = { 0 }, gives[8], takes[8], places[8];
    MPI_Request requests[3];
    for (int i = 0; i < 8; i++) {
        gives[i] = rank == 1 && plan[1] == 'n' && i == 2 ? 1 : 2;
        takes[i] = 2;
        places[i] = 8 * i;
    }
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Alltoallv_init(in, gives, places, MPI_INT, out, takes, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    while (rank == 4) sleep(1);
    if (rank % 2) MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
    MPI_Start(&requests[rank % 2]);
    MPI_Start(&requests[1 - rank % 2]);
    if (rank % 2 == 0) MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
#endif
}

/* Each is the neighbour of all others, and of the next one twice over. Each gives an integer over each edge, but rank 1 gives rank 2 none over one of the two. Rank 4 never comes. */
static void among_neighbours(int rank, const char *plan)
{
    int in[8] = { 0 }, out[8], counts[8], places[8], gives[8], sources[8], destinations[8], weights[16], degree = 5, next = (rank + 1) % 5, others = 1;
    MPI_Comm near;
    destinations[0] = next;
    for (int i = 0; i < 5; i++)
        if (i != rank) destinations[others++] = i;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &near);
    MPI_Dist_graph_neighbors(near, degree, sources, weights, degree, destinations, weights + 8);
    for (int i = 0; i < degree; i++) {
        gives[i] = counts[i] = 1;
        places[i] = i;
    }
    for (int i = 0; rank == 1 && plan[1] == 'n' && i < degree; i++)
        if (destinations[i] == 2) {
            gives[i] = 0;
            break;
        }
    while (rank == 4) sleep(1);
    MPI_Neighbor_alltoallv(in, gives, places, MPI_INT, out, counts, places, MPI_INT, near);
}

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
    /* Pair by pair rank r gives rank p so many integers as r + p, and takes as many; but rank 1 gives rank 2 one less. Rank 2 says bytes where it can. */
    int gives[64], takes[64], places[64], is_w = plan[0] == 'Q';
    MPI_Datatype types[64];
    for (int i = 0; i < size; i++) {
        int in_bytes = is_w && rank == 2;
        gives[i] = takes[i] = (rank + i) * (in_bytes ? sizeof(int) : 1);
        types[i] = in_bytes ? MPI_BYTE : MPI_INT;
        places[i] = (is_w ? 40 : 10) * i;
    }
    if (is_odd && plan[1] == 'n') gives[2]--;
    /* A root that comes takes a piece of each, and gives a piece to each; but rank 1 gives it nothing, and nothing is given to rank 1. */
    int pieces[64], piece = rank == 2 ? sizeof(int) : 1;
    for (int i = 0; i < size; i++) pieces[i] = i == 1 && plan[0] == 'Y' && plan[1] == 'n' ? 0 : 1;
    if (is_odd && plan[0] == 'X' && plan[1] == 'n') piece = 0;
    if (is_odd && plan[1] == 'r') root = 3;
    if (strchr("IJ", plan[0])) between_sides(rank, plan);
    if (plan[0] == 'H') prepared(rank, plan);
    if (plan[0] == 'N') among_neighbours(rank, plan);
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
    case 'P': MPI_Alltoallv(in, gives, places, MPI_INT, out, takes, places, MPI_INT, MPI_COMM_WORLD); break;
    case 'p': MPI_Ialltoallv(in, gives, places, MPI_INT, out, takes, places, MPI_INT, MPI_COMM_WORLD, &request); break;
    case 'Q': MPI_Alltoallw(in, gives, places, types, out, takes, places, types, MPI_COMM_WORLD); break;
    case 'X': MPI_Gatherv(in, piece, type, out, pieces, starts, MPI_INT, 0, MPI_COMM_WORLD); break;
    case 'Y': MPI_Scatterv(in, pieces, starts, MPI_INT, out, piece, type, 0, MPI_COMM_WORLD); break;
    case 'b': MPI_Ibcast(in, count, type, root, MPI_COMM_WORLD, &request); break;
    case 'a': MPI_Iallreduce(in, out, count, MPI_INT, op, MPI_COMM_WORLD, &request); break;
    case 'g': MPI_Iallgather(in, count, type, out, count, type, MPI_COMM_WORLD, &request); break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (;;) sleep(1);
}
