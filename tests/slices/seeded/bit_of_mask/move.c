#include "ready.h"

void send_parts(struct parts *parts)
{
    for (int part = 0; part < MOST_PARTS; part++)
        if (parts->own[part] > 0)
            MPI_Send(&parts->own[part], 1, MPI_DOUBLE, 0, TAG_PART + part, MPI_COMM_WORLD);
}

void gather_parts(struct parts *parts)
{
    for (int part = 0; part < MOST_PARTS; part++) {
        double value = parts->own[part];
        int owner = part % parts->size;
        if (!(parts->everybody >> part & 1))
            continue;
        if (owner != 0)
            MPI_Recv(&value, 1, MPI_DOUBLE, owner, TAG_PART + part, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        parts->sum += value;
    }
}
