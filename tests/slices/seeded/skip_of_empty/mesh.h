#include <mpi.h>
struct patch { int first, count; };
struct mesh { struct patch patch[8]; int patches; double *value; int rank, size; };
void mesh_cut(struct mesh *m, int cells);
double patch_energy(const struct mesh *m, const struct patch *p);
double mesh_energy(struct mesh *m, MPI_Comm comm);
void mesh_smooth(struct mesh *m);
