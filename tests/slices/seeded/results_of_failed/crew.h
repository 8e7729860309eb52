#include <mpi.h>
enum { TASK = 10, DONE, QUIT };
struct plan { int tasks, sent, back, refused; double best; };
void plan_make(struct plan *p, int tasks);
int plan_next(struct plan *p);
void plan_take(struct plan *p, double value);
int plan_open(const struct plan *p);
void lead(struct plan *p, MPI_Comm comm);
void follow(MPI_Comm comm);
