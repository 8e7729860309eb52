#include <mpi.h>
#define CELLS 50
struct gas { double rho[CELLS + 2], e[CELLS + 2], v[CELLS + 2]; double time; int rank, size; };
void gas_fill(struct gas *g);
double gas_sound(const struct gas *g, int i);
double gas_dt(const struct gas *g);
void gas_move(struct gas *g, double dt);
void gas_ends(struct gas *g);
