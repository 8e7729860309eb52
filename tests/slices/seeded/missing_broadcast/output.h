#include <mpi.h>
struct output { MPI_Comm comm; int rank, size, written; double *all; };
void output_open(struct output *o, MPI_Comm comm, int width);
void output_write(struct output *o, const double *part, int width);
void output_close(struct output *o);
