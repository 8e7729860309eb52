#include <mpi.h>

/* A rod, cut into pieces: the heat of each cell, and one cell more on either side. */
typedef struct {
    MPI_Comm comm;
    int rank, size, cells;
    int left, right;
    double *now, *next;
    int sweeps, verbose;
} Rod;

void rod_make(Rod *rod, MPI_Comm comm, int cells);
void rod_free(Rod *rod);
void halo_swap(Rod *rod);
void relax(Rod *rod);
double change_of(const Rod *rod);
void report(const Rod *rod, double change);
