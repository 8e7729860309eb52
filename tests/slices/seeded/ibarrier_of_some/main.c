#include "async.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    struct flow f;
    long most;
    MPI_Init(&argc, &argv);
    flow_make(&f, MPI_COMM_WORLD);
    for (int phase = 0; phase < 9; phase++) {
        flow_begin(&f);
        flow_work(&f);
        flow_end(&f);
    }
    MPI_Allreduce(&f.left, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (f.rank == 0)
        printf("%ld left\n", most);
    MPI_Comm_free(&f.comm);
    MPI_Finalize();
    return 0;
}
