#include "plan.h"

void exchange(struct field *field, const struct plan *plan, int round)
{
    int up = (field->rank + 1) % field->size, down = (field->rank + field->size - 1) % field->size;
    int tag = 100 * round + plan->tag;
    MPI_Request sent[2];
    MPI_Isend(&field->value, 1, MPI_DOUBLE, up, tag, MPI_COMM_WORLD, &sent[0]);
    MPI_Isend(&field->value, 1, MPI_DOUBLE, down, tag + 1, MPI_COMM_WORLD, &sent[1]);
    MPI_Recv(&field->left, 1, MPI_DOUBLE, down, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&field->right, 1, MPI_DOUBLE, up, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
}

double relax(struct field *field, const struct plan *plan)
{
    double before = field->value;
    for (int i = 0; i < plan->width; i++)
        field->value += plan->step * (field->left - 2 * field->value + field->right);
    return field->value > before ? field->value - before : before - field->value;
}
