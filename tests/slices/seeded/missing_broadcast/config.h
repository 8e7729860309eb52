#include <mpi.h>

struct config {
    int steps, interval, width;
    double dt;
};

void config_defaults(struct config *c);
int config_read(struct config *c, int argc, char **argv);
void config_share(struct config *c, MPI_Comm comm);
