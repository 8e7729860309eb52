#include <mpi.h>
typedef struct { int first, last; } Range;
Range part_of(int total, int rank, int size);
typedef struct Matrix Matrix;
Matrix *matrix_make(Range rows, int columns);
void matrix_free(Matrix *m);
double row_sum(const Matrix *m, int row);
double pivot(const Matrix *m, int row, MPI_Comm comm);
