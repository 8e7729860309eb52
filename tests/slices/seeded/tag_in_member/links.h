#include <mpi.h>
enum { LEFT, RIGHT, SIDES };

typedef struct {
    int peer, tag_out, tag_in, count;
    double *out, *in;
} Link;

typedef struct {
    MPI_Comm comm;
    int rank, size;
    Link link[SIDES];
    MPI_Request request[2 * SIDES];
} Links;

void links_make(Links *l, MPI_Comm comm, int count);
void links_fill(Links *l, double value);
void links_start(Links *l);
void links_wait(Links *l);
double links_sum(const Links *l);
