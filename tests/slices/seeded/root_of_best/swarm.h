#include <mpi.h>
#define DIM 4
struct bird { double at[DIM], v[DIM], best[DIM], value; };
struct swarm { struct bird bird[20]; int rank, size; double lead[DIM], trail[3000][DIM]; int length; MPI_Comm comm; };
double cost(const double *at);
void swarm_make(struct swarm *s, MPI_Comm comm);
void swarm_move(struct swarm *s);
int swarm_best(const struct swarm *s);
int swarm_leader(const struct swarm *s, double own);
void swarm_lead(struct swarm *s);
