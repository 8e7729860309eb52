#include <mpi.h>
struct opts { long steps, every; double rate; int rank, size; };
void opts_read(struct opts *o, int argc, char **argv);
void opts_share(struct opts *o);
double relax(double *u, int n, double rate);
void halo(double *u, int n, const struct opts *o);
