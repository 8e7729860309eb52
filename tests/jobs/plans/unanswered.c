/* Rank 0 gets one message of rank 1 and wants another, in the way that the first argument names. If the second argument is "hangs" that never comes, and rank 1 ends the job a moment later; else it comes then. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 1, SECOND };

static void wants(const char *way)
{
    int values[2], index, flag = 0;
    MPI_Status status;
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int is_probe = !strcmp(way, "probe");
    MPI_Irecv(&values[0], 1, MPI_INT, 1, FIRST, MPI_COMM_WORLD, &requests[0]);
    if (!is_probe) MPI_Irecv(&values[1], 1, MPI_INT, 1, SECOND, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    if (!strcmp(way, "wait")) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    if (!strcmp(way, "test"))
        while (!flag) MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (is_probe) {
        while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&values[1], 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        wants(argv[1]);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, FIRST, MPI_COMM_WORLD);
        usleep(200000);
        if (!strcmp(argv[2], "hangs")) MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Send(&value, 1, MPI_INT, 0, SECOND, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
