/* Refinement until an error is small enough: the outer loop has only values that shrink by what was computed, the inner one
 * halves intervals, and one waits for a flag. Stops as jobs.c does. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long visits_left;
static double field[64];

__attribute__((noinline)) static void stay(void) {
  if (visits_left-- == 0) {
    printf("staying\n");
    fflush(stdout);
    for (;;) pause();
  }
}

__attribute__((noinline)) static double relax(double rate) {
  double worst = 0;
  for (int i = 1; i < 63; i++) {
    double before = field[i];
    field[i] += rate * ((field[i - 1] + field[i + 1]) / 2 - before);
    if (field[i] - before > worst) worst = field[i] - before;
  }
  return worst;
}

static int locate(double what) {
  int low = 0, high = 63;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    stay();
    if (field[middle] > what) high = middle; else low = middle;
  }
  return low;
}

int main(int argc, char **argv) {
  double error = 1, rate = 0.9;
  int found = 0;
  visits_left = argc > 1 ? atol(argv[1]) : -1;
  field[63] = 1;
  while (error > 0.02) {
    stay();
    error = relax(rate);
    if (error > 0.1) rate = rate * 0.95;
    found += locate(error);
  }
  printf("%d %.3f\n", found, field[40]);
  return 0;
}
