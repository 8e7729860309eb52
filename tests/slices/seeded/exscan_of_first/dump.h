#include <mpi.h>
struct writer { long offset, mine, chunk; int rounds, rank, size; MPI_Comm comm; };
void writer_plan(struct writer *w, MPI_Comm comm, long mine);
void writer_round(struct writer *w, const double *data, int round);
void writer_write(struct writer *w, const double *data);
long writer_total(const struct writer *w);
