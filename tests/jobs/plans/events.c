/* Messages of all kinds whose events are looked at: ring, wildcard, requests, tests, persistent, collective operations, a communicator, an epoch of a window; rank 0 stays in its last receive. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { TURNS = 20 };

int main(int argc, char **argv)
{
    int rank, size, value = 0, sum = 0, done, window_at[4] = { 0 };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, size - rank, &half);
    MPI_Request persistent;
    MPI_Send_init(&rank, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &persistent);
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Request requests[3];
        /* A pipeline: the sum goes along the ring. */
        if (rank > 0) MPI_Recv(&sum, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += rank;
        if (rank < size - 1) MPI_Send(&sum, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
        /* To whoever asks: rank 0 takes from anybody. */
        if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        for (int from = 1; rank == 0 && from < size; from++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* Requests, one of which is asked for. */
        MPI_Irecv(&value, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Start(&persistent);
        MPI_Ibarrier(half, &requests[1]);
        for (done = 0; !done;) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&rank, 1, MPI_INT, right, 5, &value, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(&value, 1, MPI_INT, turn % size, MPI_COMM_WORLD);
        MPI_Reduce(&rank, &value, 1, MPI_INT, MPI_SUM, turn % size, MPI_COMM_WORLD);
        MPI_Scan(&rank, &value, 1, MPI_INT, MPI_SUM, half);
        MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Win window;
    MPI_Group all, others;
    MPI_Win_create(window_at, sizeof window_at, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]) { rank == 0 ? 1 : 0 }, &others);
    if (rank == 0) {
        MPI_Win_post(others, 0, window);
        MPI_Win_wait(window);
    } else if (rank == 1) {
        MPI_Win_start(others, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* Nobody sends it. */
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
