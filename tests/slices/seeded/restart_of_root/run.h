#include <mpi.h>
struct run { int first, last, every, is_restart; double *field; long cells; MPI_Comm comm; int rank, size; };
void run_options(struct run *r, int argc, char **argv);
void run_begin(struct run *r);
void run_restore(struct run *r);
void run_step(struct run *r, int step);
void run_report(const struct run *r, int step);
