#include <mpi.h>
#define MOST 400
struct queue { int item[MOST]; int head, tail; };
struct sim { struct queue queue; int rank, size, done, total; unsigned seed; MPI_Comm comm; };
void queue_add(struct queue *q, int item);
int queue_take(struct queue *q);
int queue_length(const struct queue *q);
void sim_make(struct sim *s, MPI_Comm comm);
int sim_round(struct sim *s);
int sim_count(struct sim *s, int own);
