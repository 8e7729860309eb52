#include <mpi.h>
struct link { int peer, sent, got; MPI_Comm comm; };
struct part { struct link up, down; int rank, size, active; double value[64]; };
void link_open(struct link *l, MPI_Comm comm, int peer);
void link_put(struct link *l, const double *from, int count);
void link_get(struct link *l, double *to, int count);
void part_make(struct part *p, MPI_Comm comm);
void part_relax(struct part *p);
void part_exchange(struct part *p, int step);
