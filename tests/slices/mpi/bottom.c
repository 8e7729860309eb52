/* A datatype that holds addresses: the send and the receive name no variable. */
#include "observe.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = -1, one = 1, noise = 1;
    MPI_Aint address;
    MPI_Datatype type, base = MPI_INT;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_address(&value, &address); /* in */
    MPI_Type_create_struct(1, &one, &address, &base, &type); /* in */
    MPI_Type_commit(&type); /* in */
    noise = 2; /* perturb */
    if (rank == 0) { /* in */
        value = 44; /* needed */
        MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD); /* needed */
    } else if (rank == 1) {
        MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* needed */
        observe(value); /* criterion */
    }
    noise++;
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
