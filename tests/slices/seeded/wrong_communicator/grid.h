#include <mpi.h>
typedef struct {
    MPI_Comm all, row, column;
    int rank, size, rows, columns, x, y;
} Grid;
void grid_make(Grid *g, MPI_Comm comm, int columns);
void grid_free(Grid *g);
void rows_reduce(const Grid *g, double *value);
void columns_spread(const Grid *g, double *value);
