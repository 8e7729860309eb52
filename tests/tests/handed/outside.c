/* What no compiler of the others sees, and the map does not hold: MPI. */
#include <stdio.h>
#include <unistd.h>

int last_visit;
static int visits;

void MPI_Visit(void)
{
    if (++visits == last_visit) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
}

int MPI_Learn(void *object)
{
    return object != 0;
}
