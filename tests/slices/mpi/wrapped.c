/* An exchange behind functions of the program, its request and buffers in a structure. */
#include "observe.h"
#include <mpi.h>

struct exchange {
    MPI_Request request[2];
    double in, out;
    int partner;
};

static void begin(struct exchange *exchange, double value)
{
    exchange->out = value; /* needed */
    MPI_Irecv(&exchange->in, 1, MPI_DOUBLE, exchange->partner, 8, MPI_COMM_WORLD, &exchange->request[0]); /* in */
    MPI_Isend(&exchange->out, 1, MPI_DOUBLE, exchange->partner, 8, MPI_COMM_WORLD, &exchange->request[1]); /* in */
}

static double end(struct exchange *exchange)
{
    int noise = 4;
    noise = exchange->partner; /* perturb */
    MPI_Waitall(2, exchange->request, MPI_STATUSES_IGNORE); /* in */
    noise++;
    return exchange->in; /* in */
}

int main(int argc, char **argv)
{
    int rank;
    struct exchange exchange;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange.partner = 1 - rank; /* in */
    begin(&exchange, rank ? 30.0 : 2.0); /* needed */
    if (rank == 0) /* in */
        observe((long)end(&exchange)); /* criterion */
    else
        end(&exchange); /* in */
    MPI_Finalize();
    return 0;
}
