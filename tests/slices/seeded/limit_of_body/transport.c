#include "blocks.h"
#include <mpi.h>

enum { HEADER = 3, BODY = 4 };

static int is_long(int count)
{
    return count > LIMIT; /* BUG: whoever takes a block asks for >= */
}

void give(const struct block *b, int to)
{
    double packet[1 + LIMIT];
    packet[0] = b->count;
    for (int i = 0; i < LIMIT; i++)
        packet[1 + i] = b->values[i];
    MPI_Send(packet, 1 + LIMIT, MPI_DOUBLE, to, HEADER, MPI_COMM_WORLD);
    if (is_long(b->count))
        MPI_Send((void *) b->values, b->count, MPI_DOUBLE, to, BODY, MPI_COMM_WORLD);
}

void take(struct block *b, int from)
{
    double packet[1 + LIMIT];
    MPI_Recv(packet, 1 + LIMIT, MPI_DOUBLE, from, HEADER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    b->count = (int) packet[0];
    if (b->count >= LIMIT) {
        MPI_Recv(b->values, MOST, MPI_DOUBLE, from, BODY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < b->count; i++)
        b->values[i] = packet[1 + i];
}
