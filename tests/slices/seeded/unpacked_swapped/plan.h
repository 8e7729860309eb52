#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct plan {
    int rounds, tag, width;
    double step;
};

struct field {
    int rank, size;
    double left, right, value;
};

void share_plan(struct plan *plan, int rank);
void read_plan(struct plan *plan);
void exchange(struct field *field, const struct plan *plan, int round);
double relax(struct field *field, const struct plan *plan);
