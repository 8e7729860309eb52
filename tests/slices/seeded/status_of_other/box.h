#ifndef BOX_H
#define BOX_H
#include <mpi.h>

enum { TAG_WORK = 11, TAG_RESULT = 12 };

struct box {
    int rank, size;
    int done[64];
    int finished;
    double best;
};

void serve(struct box *box, int jobs);
void work(struct box *box);
int take_result(struct box *box, MPI_Status *of);
void hand_out(struct box *box, int who, int job);
#endif
