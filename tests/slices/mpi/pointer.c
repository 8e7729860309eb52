/* Functions of MPI, called through pointers and from a table of operations. */
#include "observe.h"
#include <mpi.h>

struct operations {
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
};

static const struct operations table = {MPI_Send, MPI_Recv};

int main(int argc, char **argv)
{
    int rank, a = 0, b = 0, spare = 0;
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = MPI_Ssend;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { /* in */
        a = 7; /* needed */
        b = 8; /* needed */
        spare = 9;
        send(&a, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* needed */
        table.send(&b, 1, MPI_INT, 1, 2, MPI_COMM_WORLD); /* needed */
        table.send(&spare, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        table.receive(&a, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&b, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        MPI_Recv(&spare, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        observe(10 * a + b); /* criterion */
    }
    MPI_Finalize();
    return 0;
}
