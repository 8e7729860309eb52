/* Loops whose iterations are divided among threads. Only the first thread of each team logs, and in_turn() sees to it that it
 * gets different iterations on different ranks. Without OpenMP these would be ordinary counters: nothing in the text of
 * the loop itself tells. */
#include <mpi.h>

extern int work(int value);
extern void in_turn(void);
extern void new_turns(void);

static int rank;

#define SPREAD(i, n) \
  _Pragma("omp parallel for schedule(dynamic, 1) num_threads(2)") \
  for (int i = 0; i < n; i++)
#define TEXT(words) _Pragma(#words)
#define PARALLEL_FOR TEXT(omp parallel for schedule(dynamic, 1) num_threads(2))

void a_parallel_for(int n) {
  new_turns();
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < n; i++) {
    /* mark: i */
    in_turn();
    work(i);
  }
}
void a_for_in_parallel(int n) {
  new_turns();
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < n; i += 2) {
      /* mark: i */
      in_turn();
      work(i);
    }
  }
}
void a_guided(int n) {
  new_turns();
#pragma omp parallel for schedule(guided) \
    num_threads(2)
  for (int i = n; i > 0; i--) {
    /* mark: i */
    in_turn();
    work(i);
  }
}
void a_macro_pragma(int n) {
  new_turns();
  _Pragma("omp parallel for schedule(dynamic, 1) num_threads(2)")
  for (int i = 0; i < n; i++) {
    /* mark: i */
    in_turn();
    work(i);
  }
}
void a_pragma_in_macro(int n) {
  new_turns();
  SPREAD(i, n) {
    /* mark: i */
    in_turn();
    work(i);
  }
}
void a_pragma_of_macro(int n) {
  new_turns();
  PARALLEL_FOR
  for (int i = 0; i < n; i++) {
    /* mark: i */
    in_turn();
    work(i);
  }
}
void a_collapsed(int n) {
  new_turns();
#pragma omp parallel for collapse(2) schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      /* mark: j, i */
      in_turn();
      work(j);
    }
  }
}
void b_inner_is_whole(int n) {
  new_turns();
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < n; i++) {
    in_turn();
    /* start: j */
    for (int j = 0; j < 4; j++) {
      /* mark: j */
      work(j);
    }
  }
}
void b_outside(int n) {
  for (int it = 0; it < n; it++) {
    /* mark: it */
    work(it);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++) work(i);
  }
}
void b_simd(int n) {
  int sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    /* mark: i, sum */
    sum += i;
  }
  work(sum);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  a_parallel_for(12);
  a_for_in_parallel(24);
  a_guided(24);
  a_macro_pragma(12);
  a_pragma_in_macro(12);
  a_pragma_of_macro(12);
  a_collapsed(4);
  b_inner_is_whole(12);
  b_outside(4);
  b_simd(6);
  MPI_Finalize();
  return 0;
}
