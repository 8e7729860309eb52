/* Does a library need the help of a rank that has left a collective operation, before others can leave it? In each round one random rank
 * leaves and sleeps at once, without a call of MPI; whoever leaves only after that has needed it. Prints a line for each round in which
 * somebody did, and a summary by operation. Arguments: rounds, seed, milliseconds of sleep. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS = 8, SIZES = 7, MOST = 1 << 18, FLOOD = 400 };
static const char *const names[KINDS] = {"barrier",  "allreduce",      "allgather",            "alltoall",
                                         "allgatherv", "alltoallv", "reduce_scatter", "reduce_scatter_block"};
static const int sizes[SIZES] = {1, 8, 100, 1000, 5000, 40000, MOST};
static double *in, *out;
static int counts[1024], places[1024];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void collective(int kind, int count, int size) {
  int part = count / size > 0 ? count / size : 1;
  for (int i = 0; i < size; i++) counts[i] = part, places[i] = i * part;
  MPI_Comm world = MPI_COMM_WORLD;
  switch (kind) {
  case 0: MPI_Barrier(world); break;
  case 1: MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, world); break;
  case 2: MPI_Allgather(in, part, MPI_DOUBLE, out, part, MPI_DOUBLE, world); break;
  case 3: MPI_Alltoall(in, part, MPI_DOUBLE, out, part, MPI_DOUBLE, world); break;
  case 4: MPI_Allgatherv(in, part, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, world); break;
  case 5: MPI_Alltoallv(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, world); break;
  case 6: MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, world); break;
  case 7: MPI_Reduce_scatter_block(in, out, part, MPI_DOUBLE, MPI_SUM, world); break;
  }
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int rounds = argc > 1 ? atoi(argv[1]) : 100, pause = argc > 3 ? atoi(argv[3]) : 300;
  srand(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
  in = calloc(MOST + 1024, sizeof *in), out = calloc(MOST + 1024, sizeof *out);
  static int tried[KINDS][2], helped[KINDS][2];
  static char box[FLOOD][8192];
  MPI_Request requests[FLOOD];
  for (int round = 0; round < rounds; round++) {
    int kind = rand() % KINDS, count = sizes[rand() % SIZES], victim = rand() % size;
    int other = (victim + 1 + rand() % (size - 1)) % size, flood = rand() % 2 ? FLOOD : 0;
    int bytes = rand() % 2 ? 32 : rand() % 2 ? 2000 : 8192;
    if (rank == victim)
      for (int i = 0; i < flood; i++) MPI_Isend(box[i], bytes, MPI_CHAR, other, 7, MPI_COMM_WORLD, &requests[i]);
    collective(kind, count, size);
    double left = now(), first = left;
    if (rank == victim) {
      struct timespec nap = {pause / 1000, pause % 1000 * 1000000L};
      nanosleep(&nap, NULL);
    }
    if (rank == victim) MPI_Waitall(flood, requests, MPI_STATUSES_IGNORE);
    if (rank == other)
      for (int i = 0; i < flood; i++) MPI_Recv(box[i], 8192, MPI_CHAR, victim, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&first, 1, MPI_DOUBLE, victim, MPI_COMM_WORLD);
    double late = left - first, latest;
    MPI_Reduce(&late, &latest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      int with = flood > 0;
      tried[kind][with]++;
      if (latest > 0.0008 * pause) {
        helped[kind][with]++;
        printf("round %d: %s of %d, flood %d of %d bytes: %.3f s late\n", round, names[kind], count, flood, bytes, latest);
        fflush(stdout);
      }
    }
  }
  if (rank == 0)
    for (int kind = 0; kind < KINDS; kind++)
      printf("%-22s quiet %d of %d, flooded %d of %d\n", names[kind], helped[kind][0], tried[kind][0], helped[kind][1], tried[kind][1]);
  MPI_Finalize();
  return 0;
}
