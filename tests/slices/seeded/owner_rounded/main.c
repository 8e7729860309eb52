/* Rows of a table are fetched from those who have them. */
#include "rows.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    struct table table;
    MPI_Init(&argc, &argv);
    lay_out(&table, 10);
    for (int turn = 0; turn < table.rows; turn++)
        fetch(&table, turn, (turn * 3 + 1) % table.size);
    MPI_Finalize();
    return 0;
}
