#include <mpi.h>
typedef struct { int n, rank, size; double *x, *r, *p, *q; MPI_Comm comm; } Lin;
void lin_make(Lin *l, MPI_Comm comm, int n);
void lin_free(Lin *l);
void lin_apply(const Lin *l, const double *in, double *out);
double lin_dot(const Lin *l, const double *a, const double *b);
double lin_most(const Lin *l, const double *a);
int lin_solve(Lin *l, double eps);
