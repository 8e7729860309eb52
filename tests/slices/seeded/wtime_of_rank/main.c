#include "out.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    static double data[2000];
    Saver saver;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    saver_open(&saver, MPI_COMM_WORLD, 0.05, 2000);
    for (int step = 0; step < 200; step++) {
        double change = work(data, 2000 - 400 * rank, step), all;
        if (saver_due(&saver))
            saver_save(&saver, data);
        if (step % 10 == 9)
            MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("%d: %d\n", rank, saver.count);
    saver_close(&saver);
    MPI_Finalize();
    return 0;
}
