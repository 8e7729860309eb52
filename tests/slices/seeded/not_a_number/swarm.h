#include <mpi.h>
#define MOST 64

typedef struct particle { double x, v; } particle;
typedef struct swarm {
    particle p[MOST];
    int count;
    double mean, spread;
    MPI_Comm comm;
} swarm;

void fill(swarm *s, int rank);
void moments(swarm *s);
double step_size(const swarm *s);
void drift(swarm *s, double dt);
void share(swarm *s, int rank, int size);
