#include <mpi.h>
struct flow { MPI_Request request; int active, epoch, rank, size; long left; MPI_Comm comm; };
void flow_make(struct flow *f, MPI_Comm comm);
void flow_work(struct flow *f);
void flow_begin(struct flow *f);
void flow_end(struct flow *f);
