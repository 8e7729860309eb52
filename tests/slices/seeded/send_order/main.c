#include "ring.h"
#include <stdio.h>

void sort_pieces(double *data, int count, int low)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && (data[j] < data[j - 1]) == (low != 0); j--) {
            double t = data[j];
            data[j] = data[j - 1];
            data[j - 1] = t;
        }
}

int main(int argc, char **argv)
{
    enum { COUNT = 50 };
    double data[COUNT];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < COUNT; i++)
        data[i] = (i * 37 + rank * 11) % 101;
    Swap swap;
    for (int phase = 0; phase < 6; phase++) {
        sort_pieces(data, COUNT, 1);
        swap_plan(&swap, MPI_COMM_WORLD, phase);
        swap.go(&swap, data, COUNT);
    }
    printf("%d: %g\n", rank, data[0]);
    MPI_Finalize();
    return 0;
}
