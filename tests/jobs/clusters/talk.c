/* Ranks that talk, turn by turn: each sends to the next, takes from the one before, and meets all others. In the turn after the file `sign` is there, rank 2 sends rank 3 a message of another tag; then
 * rank 2 stays away from the next meeting. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int released;

int main(int argc, char **argv)
{
    int rank, size, own = 1, other, goes, all = 0;
    if (argc < 2 || nice(19) < 0)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (all == 0) {
        goes = rank == 0 && access(argv[1], F_OK) == 0;
        MPI_Sendrecv(&own, 1, MPI_INT, (rank + 1) % size, 7, &other, 1, MPI_INT, (rank + size - 1) % size, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&goes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(20000);
    }
    if (rank == 2) {
        MPI_Send(&own, 1, MPI_INT, 3, 9, MPI_COMM_WORLD);
        while (!released)
            usleep(10000);
    }
    if (rank == 3)
        MPI_Recv(&other, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
