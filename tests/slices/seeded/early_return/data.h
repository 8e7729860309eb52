#include <mpi.h>
enum status { FINE, EMPTY, TOO_LONG };
struct block { int rows, columns; double *at; };
enum status block_load(struct block *b, int rank);
enum status block_scale(struct block *b, MPI_Comm comm);
enum status block_check(const struct block *b);
enum status pipeline(struct block *b, int rank, MPI_Comm comm);
