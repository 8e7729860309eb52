/* The external functions of a generated program whose run is stopped by the probe.
 *
 * Their calls are numbered from 0. The program waits in the call whose number it was told: it says so on standard
 * output (the number, a hash of the names of all calls up to this one, and the counters that it was passed), and reads the next number, eight bytes,
 * from standard input. Call 0 always waits. The results are those of externals.rs.
 */
#include "mpi.h"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static uint64_t calls[16], broadcasts, made, history, target;
static uint64_t run, seed, rank;
/* The counters that the last call has reported, if it did: of its own function and of that one's caller. */
static uint64_t noted[2];
/* For programs that are dressed. */
struct { int a, b; } small = {1, 2};
struct { long a[9]; } wide = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
volatile int some = 24;
void hold(void *room) { *(volatile char *)room = 1; }

static uint64_t setting(const char *name) {
  const char *text = getenv(name);
  return text ? strtoull(text, 0, 10) : 0;
}

__attribute__((constructor)) static void start(void) {
  /* Whatever becomes of the test, its programs go with it. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  run = setting("HX_RUN");
  seed = setting("HX_SEED");
  rank = setting("HX_RANK");
}

static uint64_t mix(uint64_t seed) {
  uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static __attribute__((noinline)) void wait_here(void) {
  char line[96];
  int length = snprintf(line, sizeof line, "%llu %llu %llu %llu\n", (unsigned long long)(made - 1),
                        (unsigned long long)history, (unsigned long long)noted[0], (unsigned long long)noted[1]);
  if (write(1, line, length) != length) _exit(3);
  if (read(0, &target, sizeof target) != sizeof target) _exit(0);
}

static void arrive(int name) {
  history = mix(history ^ name);
  if (made++ == target) wait_here();
}

static int result(int index, int argument) {
  arrive(index);
  uint64_t hash = mix(run ^ mix((uint64_t)index << 32 | calls[index]++));
  switch (index) {
  case 6: return hash % 4 != 0;
  case 7: return hash % 2 == 0;
  case 9: return hash % 5 != 0;
  case 10: return argument;
  case 11: return argument + 1;
  }
  return (int)(hash % 4);
}

#define EXTERNAL(name, index) \
  int name(int x) { return result(index, x); }
/* A program that is dressed passes counters; what others leave in these registers is not looked at. */
#define REPORTING(name, index)                             \
  int name(int x, uint64_t own, uint64_t callers) {        \
    noted[0] = own;                                        \
    noted[1] = callers;                                    \
    return result(index, x);                               \
  }
REPORTING(w1, 0)
REPORTING(w2, 1)
REPORTING(w3, 2)
REPORTING(w4, 3)
REPORTING(w5, 4)
int pair(int a, int b) { (void)b; return result(5, a); }
EXTERNAL(more, 6)
EXTERNAL(coin, 7)
EXTERNAL(val, 8)
EXTERNAL(cond, 9)
EXTERNAL(same, 10)
EXTERNAL(after, 11)
EXTERNAL(MPI_Start, 12)
EXTERNAL(MPI_Wait, 13)
EXTERNAL(MPI_Send, 14)
EXTERNAL(MPI_Recv, 15)

int MPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; arrive(16); return 0; }
int MPI_Comm_rank(int communicator, int *result) {
  (void)communicator;
  arrive(17);
  *result = (int)rank;
  return 0;
}
int MPI_Bcast(void *buffer, int count, int type, int root, int communicator) {
  (void)count, (void)type, (void)root, (void)communicator;
  arrive(18);
  *(int *)buffer = (int)(mix(seed ^ mix(broadcasts++) ^ 0xb0ad) % 3) + 1;
  return 0;
}
int MPI_Barrier(int communicator) { (void)communicator; arrive(19); return 0; }
