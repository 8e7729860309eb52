/* What the compiler of hidden.c does not see, and the map does not hold. */
#include <stdio.h>
#include <unistd.h>

int last_visit;
static int visits;

void step(void)
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
