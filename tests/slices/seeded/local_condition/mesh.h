#include <mpi.h>
#include <stdbool.h>
enum { CELLS = 200 };
typedef struct {
    int level[CELLS];
    double error[CELLS];
    int count, most, moved;
    bool uneven;
    MPI_Comm comm;
    int rank, size;
} Mesh;
void mesh_start(Mesh *m, MPI_Comm comm);
void mesh_solve(Mesh *m, int step);
void mesh_refine(Mesh *m);
void mesh_judge(Mesh *m);
void mesh_balance(Mesh *m);
