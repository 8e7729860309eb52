#include "run.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct run r;
    MPI_Init(&argc, &argv);
    run_options(&r, argc, argv);
    run_begin(&r);
    if (r.is_restart)
        run_restore(&r);
    for (int step = r.first; step < r.last; step++) {
        run_step(&r, step);
        if (step % r.every == 0)
            run_report(&r, step);
    }
    free(r.field);
    MPI_Finalize();
    return 0;
}
