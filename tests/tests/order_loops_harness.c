/* What `order_loops.c` calls, and the log: `function variable value` per mark, `function variable start` per start. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>

static int lines, calls;

static int this_rank(void) {
  const char *text = getenv("HX_RANK");
  return text ? atoi(text) : 0;
}
void hx_value(const char *function, const char *name, double value) {
  printf("%s %s %.17g\n", function, name, value);
  /* No loop is meant to be endless. */
  if (++lines > 20000) exit(3);
}
void hx_start(const char *function, const char *name) { printf("%s %s start\n", function, name); }
int work(int value) { (void)value; return ++calls % 11; }
int coin(int rank, int round) {
  unsigned h = (unsigned)rank * 2654435761u ^ (unsigned)round * 40503u ^ (unsigned)++calls * 97u;
  return (h >> 7 ^ h >> 13) & 1;
}
int left(int rounds) { static int round; return ++round % rounds != 0; }
void see(double value) { (void)value; }
int MPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; return 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Comm_rank(int communicator, int *rank) { (void)communicator; *rank = this_rank(); return 0; }
