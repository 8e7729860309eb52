#include <mpi.h>
typedef struct Swap Swap;
struct Swap { int partner; int first; void (*go)(const Swap *, double *, int); MPI_Comm comm; };
void swap_plan(Swap *s, MPI_Comm comm, int phase);
void swap_first(const Swap *s, double *data, int count);
void swap_second(const Swap *s, double *data, int count);
void sort_pieces(double *data, int count, int low);
