#include "config.h"
#include <stdlib.h>
#include <string.h>

void config_defaults(struct config *c)
{
    memset(c, 0, sizeof *c);
    c->steps = 30;
    c->interval = 10;
    c->width = 16;
    c->dt = 0.01;
}

int config_read(struct config *c, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-n") == 0)
            c->steps = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "-i") == 0)
            c->interval = atoi(argv[i + 1]); /* BUG: nobody tells the others */
        else if (strcmp(argv[i], "-w") == 0)
            c->width = atoi(argv[i + 1]);
        else
            return -1;
    }
    return 0;
}

void config_share(struct config *c, MPI_Comm comm)
{
    MPI_Bcast(&c->steps, 1, MPI_INT, 0, comm);
    MPI_Bcast(&c->width, 1, MPI_INT, 0, comm);
    MPI_Bcast(&c->dt, 1, MPI_DOUBLE, 0, comm);
}
