#include <mpi.h>
struct budget { double begun, allowed; int asked; };
void budget_begin(struct budget *b, double seconds);
int budget_spent(struct budget *b);
int search(struct budget *b, int rank, MPI_Comm comm);
int exchange_best(int best, MPI_Comm comm);
