#include <mpi.h>
enum { WORK = 1, RESULT, STOP };
struct job { int id; double from, to; };
struct master { int next, jobs, busy, workers; double sum; MPI_Comm comm; };
void master_begin(struct master *m, MPI_Comm comm, int jobs);
void master_run(struct master *m);
void master_stop(struct master *m);
void worker_run(MPI_Comm comm);
double integrate(const struct job *job);
