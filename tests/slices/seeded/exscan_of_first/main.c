#include "dump.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    struct writer w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long mine = 700 + 150 * rank;
    double *data = malloc(sizeof(double) * mine);
    for (long i = 0; i < mine; i++)
        data[i] = i % 7 + rank;
    writer_plan(&w, MPI_COMM_WORLD, mine);
    writer_write(&w, data);
    double last = data[mine - 1], sum = 0;
    MPI_Allreduce(&last, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    free(data);
    MPI_Finalize();
    return sum < 0;
}
