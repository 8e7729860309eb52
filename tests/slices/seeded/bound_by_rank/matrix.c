#include "part.h"
#include <stdlib.h>

struct Matrix { Range rows; int columns; double *at; };

Matrix *matrix_make(Range rows, int columns)
{
    Matrix *m = malloc(sizeof *m);
    m->rows = rows;
    m->columns = columns;
    m->at = malloc(sizeof(double) * (rows.last - rows.first) * columns);
    for (int i = 0; i < (rows.last - rows.first) * columns; i++)
        m->at[i] = 1.0 / (1 + rows.first + i);
    return m;
}

void matrix_free(Matrix *m)
{
    free(m->at);
    free(m);
}

double row_sum(const Matrix *m, int row)
{
    double sum = 0;
    for (int i = 0; i < m->columns; i++)
        sum += m->at[(row - m->rows.first) * m->columns + i];
    return sum;
}
