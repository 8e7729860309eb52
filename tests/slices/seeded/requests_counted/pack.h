#include <mpi.h>
#define NEAR 8
struct border { int peer, count, *index; double *out, *in; };
struct domain { struct border border[NEAR]; int borders, rank, size, cells; double *value; MPI_Request request[2 * NEAR]; int open; MPI_Comm comm; };
void domain_make(struct domain *d, MPI_Comm comm, int cells);
void border_add(struct domain *d, int peer, int count);
void domain_post(struct domain *d);
void domain_send(struct domain *d);
void domain_wait(struct domain *d);
void domain_free(struct domain *d);
