#include "swarm.h"
#include <math.h>
#include <string.h>

double cost(const double *at)
{
    double sum = 0;
    for (int i = 0; i < DIM; i++)
        sum += at[i] * at[i] + 1 - cos(3 * at[i]);
    return sum;
}

void swarm_make(struct swarm *s, MPI_Comm comm)
{
    memset(s, 0, sizeof *s);
    s->comm = comm;
    MPI_Comm_rank(comm, &s->rank);
    MPI_Comm_size(comm, &s->size);
    for (int k = 0; k < 20; k++) {
        struct bird *b = &s->bird[k];
        for (int i = 0; i < DIM; i++)
            b->at[i] = b->best[i] = ((k * 7 + i * 3 + s->rank * 5) % 11) - 5;
        b->value = cost(b->at);
    }
}

void swarm_move(struct swarm *s)
{
    for (int k = 0; k < 20; k++) {
        struct bird *b = &s->bird[k];
        for (int i = 0; i < DIM; i++) {
            b->v[i] = 0.7 * b->v[i] + 0.4 * (b->best[i] - b->at[i]) + 0.4 * (s->lead[i] - b->at[i]);
            b->at[i] += b->v[i];
        }
        double value = cost(b->at);
        if (value < b->value) {
            b->value = value;
            memcpy(b->best, b->at, sizeof b->at);
        }
    }
}
