#include "ring.h"
#include <mpi.h>

enum { TOKEN = 11 };

int circulate(struct load *load, int rank, int size)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    struct token token = {0, 0};
    int rounds = 0;
    if (rank == 0)
        MPI_Send(&token, 2, MPI_INT, next, TOKEN, MPI_COMM_WORLD);
    while (token.round < 10) {
        MPI_Recv(&token, 2, MPI_INT, before, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        step(load, token.round);
        token.idle += load->is_idle;
        if (rank == 0)
            token.round++;
        rounds++;
        if (rank == 0 && token.round == 10 && token.idle > 100)
            break;
        if (wants_token(load, &token))
            MPI_Send(&token, 2, MPI_INT, next, TOKEN, MPI_COMM_WORLD);
    }
    return rounds;
}
