/* What the sheets call, and the log: one line per pass of a mark, per value, per start, with tabs between the words.
 *
 * In world 0 the functions without source return the same on every rank, except those that are given the rank. In the other
 * worlds nothing is the same but what MPI makes the same. */
#include "log.h"
#include "mpi.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int lines, calls, received;

static int setting(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}
static int this_rank(void) { return setting("HX_RANK"); }
static unsigned noise(unsigned a, unsigned b) {
  unsigned h = (a * 2654435761u ^ b * 40503u) * 2246822519u;
  return h >> 7 ^ h >> 13;
}
/* Only the first thread of a team is told of: a log has one sequence for each variable. */
static int is_silent(void) {
  if (omp_get_thread_num() != 0) return 1;
  /* No loop is meant to be endless. */
  if (++lines > 4000000) exit(3);
  return 0;
}

void hx_pass(const char *function) {
  if (!is_silent()) printf("pass\t%s\n", function);
}
void hx_value(const char *function, const char *name, int is_pointer, double value) {
  if (!is_silent()) printf("%s\t%s\t%s\t%.17g\n", is_pointer ? "pointer" : "value", function, name, value);
}
void hx_start(const char *function, const char *name) {
  if (!is_silent()) printf("start\t%s\t%s\n", function, name);
}

int work(int value) {
  if (setting("HX_WORLD") == 0) return ++calls % 11;
  (void)value;
  return (int)(noise((unsigned)(this_rank() + 5), (unsigned)(setting("HX_WORLD") * 31 + ++calls)) % 11);
}
int coin(int rank, int round);
void peek(void) {}
/* Keeps an address, and writes to it when it is given it again. */
static int *seen;
void keep(int *where) {
  if (seen == where && coin(this_rank(), *where)) *where = 0;
  seen = where;
}
int coin(int rank, int round) {
  int world = setting("HX_WORLD"), own = world == 0 ? 0 : world * (7 + this_rank()) + ++calls;
  return noise((unsigned)(rank + 1 + 64 * own), (unsigned)round) & 1;
}
int left(int rounds) {
  static int round;
  if (++round < rounds) return 1;
  return round = 0;
}
void see(double value) { (void)value; }

/* Which iterations the first of two threads gets is made to differ: before it goes on, the other one takes three turns on rank
 * 1, and none elsewhere until the first has taken three. */
static volatile int rounds[2];
void in_turn(void) {
  int me = omp_get_thread_num(), leader = this_rank() == 1;
  double until = omp_get_wtime() + 0.5;
  if (omp_get_num_threads() != 2) return;
  if (me == leader && rounds[me] == 3) {
    while (rounds[!me] < 2 && omp_get_wtime() < until) {
    }
  } else if (me != leader && rounds[me] == 0) {
    while (rounds[leader] < 3 && omp_get_wtime() < until) {
    }
  }
#pragma omp atomic
  rounds[me]++;
}
void new_turns(void) { rounds[0] = rounds[1] = 0; }

/* Values that differ by rank, and values that do not. */
static void fill(void *buffer, int count, int type, int value) {
  for (int i = 0; i < count; i++) {
    if (type == MPI_DOUBLE) ((double *)buffer)[i] = value + i;
    else ((int *)buffer)[i] = value + i;
  }
}
static int different(void) { return 1 + (this_rank() * 5 + ++received) % 4; }

int MPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; return 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Comm_rank(int communicator, int *rank) { (void)communicator; *rank = this_rank(); return 0; }
int MPI_Comm_size(int communicator, int *size) { (void)communicator; *size = 3; return 0; }
int MPI_Comm_dup(int communicator, int *copy) { *copy = communicator; return 0; }
/* Tasks of one color have one communicator, which is another than the world. */
int MPI_Comm_split(int communicator, int color, int key, int *part) {
  (void)communicator, (void)key;
  *part = 1 + color;
  return 0;
}
int MPI_Barrier(int communicator) { (void)communicator; return 0; }
double MPI_Wtime(void) { static double now; return now += 0.25 * (1 + this_rank()); }
int MPI_Bcast(void *buffer, int count, int type, int root, int communicator) {
  (void)root;
  fill(buffer, count, type, 3 + 2 * communicator);
  return 0;
}
int MPI_Recv(void *buffer, int count, int type, int from, int tag, int communicator, MPI_Status *status) {
  (void)from, (void)tag, (void)communicator, (void)status;
  fill(buffer, count, type, different());
  return 0;
}
int MPI_Send(const void *buffer, int count, int type, int to, int tag, int communicator) {
  (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)communicator;
  return 0;
}
int MPI_Sendrecv(const void *out, int outs, int out_type, int to, int out_tag, void *in, int ins, int in_type, int from,
                 int in_tag, int communicator, MPI_Status *status) {
  (void)out, (void)outs, (void)out_type, (void)to, (void)out_tag;
  return MPI_Recv(in, ins, in_type, from, in_tag, communicator, status);
}
int MPI_Allreduce(const void *out, void *in, int count, int type, int operation, int communicator) {
  /* Other communicators than the world have other members. */
  (void)out, (void)operation;
  fill(in, count, type, 4 + 3 * communicator);
  return 0;
}
int MPI_Reduce(const void *out, void *in, int count, int type, int operation, int root, int communicator) {
  (void)out, (void)operation, (void)communicator;
  if (this_rank() == root) fill(in, count, type, 4);
  return 0;
}
int MPI_Allgather(const void *out, int outs, int out_type, void *in, int ins, int in_type, int communicator) {
  (void)out, (void)outs, (void)out_type, (void)communicator;
  fill(in, 3 * ins, in_type, 2);
  return 0;
}
int MPI_Scatter(const void *out, int outs, int out_type, void *in, int ins, int in_type, int root, int communicator) {
  (void)out, (void)outs, (void)out_type, (void)root, (void)communicator;
  fill(in, ins, in_type, different());
  return 0;
}
int MPI_Scan(const void *out, void *in, int count, int type, int operation, int communicator) {
  (void)out, (void)operation, (void)communicator;
  fill(in, count, type, this_rank() + 1);
  return 0;
}
int MPI_Test(int *request, int *flag, MPI_Status *status) {
  (void)status;
  if (--*request > 0) *flag = 0;
  else *flag = 1;
  return 0;
}
