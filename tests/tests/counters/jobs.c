/* A list of jobs: the loops follow pointers, go round in a ring, and retry by goto; none has a variable that counts. The
 * argument says after how many visits of stay() the program stops there for ever, and a negative one that it never does. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct job {
  int cost;
  struct job *next;
};

static struct job jobs[7];
static long visits_left;
static int total;

__attribute__((noinline)) static void stay(int what) {
  total += what;
  if (visits_left-- == 0) {
    printf("staying\n");
    fflush(stdout);
    for (;;) pause();
  }
}

__attribute__((noinline)) static int may_go_on(int *credit) {
  *credit = (*credit * 5 + 1) % 8;
  return *credit != 0;
}

static int run_all(struct job *head) {
  struct job *at;
  for (at = head; at; at = at->next)
    if (at->cost == 4)
      continue;
    else {
      stay(at->cost);
    }
  return total;
}

static void retry(int credit) {
again:
  stay(credit);
  if (may_go_on(&credit)) goto again;
}

int main(int argc, char **argv) {
  static const int order[7] = {3, 1, 6, 0, 5, 2, 4};
  int ring = 2, credit = 4;
  visits_left = argc > 1 ? atol(argv[1]) : -1;
  for (int i = 0; i < 7; i++) {
    jobs[order[i]].cost = i;
    jobs[order[i]].next = i < 6 ? &jobs[order[i + 1]] : NULL;
  }
  if (run_all(&jobs[order[0]]) > 100) return 1;
  else
    do {
      ring = (ring + 3) % 7;
      stay(ring);
    } while (ring != 2);
  switch (ring) {
  case 2:
    while (may_go_on(&credit)) stay(credit);
  default:
    retry(4);
  }
  printf("%d\n", total);
  return 0;
}
