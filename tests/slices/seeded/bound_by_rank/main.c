#include "part.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, total = 21;
    MPI_Init(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (size > 1)
        total -= total % size;
    Range rows = part_of(total, rank, size);
    Matrix *m = matrix_make(rows, 11);
    double norm = 0;
    for (int row = rows.first; row < rows.last; row++)
        norm += pivot(m, row, comm);
    MPI_Barrier(comm);
    if (rank == 0)
        printf("%g\n", norm);
    matrix_free(m);
    MPI_Finalize();
    return 0;
}
