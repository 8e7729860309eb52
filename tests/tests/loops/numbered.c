/* Forty-two loops whose truth was measured before the analysis was written. The first variable of every mark is the one that
 * the measurement was about; `order_loops.rs` runs the file as ranks 0, 1 and 2 and keeps the score. work(), peek() and
 * coin() have no source, and stride is not static: what may honestly be claimed of stride then rests on an assumption. */
#include <mpi.h>

struct cell { int count; struct cell *link; int load; };

extern int work(int value);
extern void peek(void);
extern int coin(int who, int round);
extern int left(int rounds);

int stride;
static int own_stride;
static int table[64];
static struct cell chain[6];

void bump(int *counter) { *counter = *counter + 1; }
static int successor(int i) { return i + 1; }

int l01_for_up(int rank, int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l02_while_up(int rank, int n) {
  int it = 0;
  while (it < n) {
    /* mark: it */
    work(it);
    it++;
  }
  return it;
}
int l03_do_while(int rank, int n) {
  int i = 0;
  do {
    /* mark: i */
    work(i);
    i += 2;
  } while (i < n);
  return i;
}
int l04_two_updates(int rank, int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    i++;
    work(i);
    i += 2;
  }
  return i;
}
int l05_three_on_one_back(int rank, int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    i += 3;
    work(i);
    i -= 1;
  }
  return i;
}
int l06_conditional(int rank, int n) {
  int i = 0, k = 0;
  while (k < 40 && i < n) {
    /* mark: i, k */
    if (coin(rank, k)) {
      i++;
    }
    k++;
  }
  return i;
}
int l07_either_branch(int rank, int n) {
  int i = 0, k = 0;
  while (i < n) {
    /* mark: i, k */
    if (coin(rank, k)) i++;
    else i += 2;
    k = work(i) & 7;
  }
  return i;
}
int l08_pointer_walk(int rank, int n) {
  int *p, sum = 0;
  for (p = table; p < table + n; p++) {
    /* mark: p, sum */
    sum += *p;
    work(sum);
  }
  return sum;
}
int l09_list_walk(struct cell *head) {
  struct cell *p;
  int sum = 0;
  for (p = head; p; p = p->link) {
    /* mark: p, sum */
    sum += work(p->load);
  }
  return sum;
}
int l10_doubles(int rank, int n) {
  int i;
  for (i = 1; i < n; i *= 2) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l11_shifts(int rank, int n) {
  int i;
  for (i = 1; i < n; i <<= 1) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l12_halves(int rank, int n) {
  int i;
  for (i = n; i > 0; i /= 2) {
    /* mark: i */
    work(i);
  }
  return i;
}
double l13_time(int rank, double end) {
  double t = 0, dt = 0.1;
  while (t < end) {
    /* mark: t */
    work((int) t);
    t += dt;
  }
  return t;
}
double l14_time_absorbed(int rank, int n) {
  double t = 9007199254740990.0;
  int k = 0;
  do {
    /* mark: t, k */
    t += 0.5;
    k = work(k);
  } while (left(12) && t < 9007199254741000.0);
  return t;
}
float l15_float_saturates(int rank, int n) {
  float f = 16777210.0f;
  int k = 0;
  do {
    /* mark: f, k */
    f += 1.0f;
    k = work(k);
  } while (left(12) && f < 16777220.0f);
  return f;
}
int l16_rank_start(int rank, int size) {
  int i;
  for (i = rank; i < 30; i += size) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l17_rank_chunk(int rank, int chunk) {
  int i;
  for (i = rank * chunk; i < (rank + 1) * chunk; i++) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l18_rank_step(int rank, int n) {
  int i;
  for (i = 0; i < n; i += rank + 1) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l19_nested(int rank, int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    /* start: j */
    for (j = 0; j < n; j++) {
      /* mark: j */
      work(j);
    }
  }
  return i;
}
int l20_triangle(int rank, int n) {
  int i, j, k = 0;
  for (i = 0; i < n; i++) {
    /* start: k, j */
    for (j = 0; j < i; j++) {
      /* mark: k, j */
      k++;
      work(j);
    }
  }
  return k;
}
int l21_middle(int rank, int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(1);
    i++;
    work(2);
  }
  return i;
}
int l22_skipped(int rank, int n) {
  int i = 0, k = 0;
  while (i < n && k < 60) {
    /* mark: i, k */
    k = k + work(0) * 0 + 1;
    if (coin(rank, k)) continue;
    i++;
  }
  return i;
}
int l23_member(struct cell *c, int n) {
  c->count = 0;
  while (c->count < n) {
    /* mark: c->count */
    work(1);
    c->count++;
  }
  return 0;
}
int l24_global(int rank, int n) {
  for (stride = 0; stride < n; stride++) {
    /* mark: stride */
    work(1);
  }
  return 0;
}
int l25_static_global(int rank, int n) {
  for (own_stride = 0; own_stride < n; own_stride++) {
    /* mark: own_stride */
    work(1);
  }
  return 0;
}
int l26_by_pointer(int rank, int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    bump(&i);
  }
  return i;
}
int l27_forever(int rank, int n) {
  int it = 0;
  while (1) {
    /* mark: it */
    if (work(it) > n) break;
    it++;
  }
  return it;
}
int l28_countdown(int rank, unsigned n) {
  while (n--) {
    /* mark: n */
    work(n);
  }
  return 0;
}
int l29_goto(int rank, int n) {
  int i = 0;
again:
  /* mark: i */
  work(i);
  i++;
  if (i < n) goto again;
  return i;
}
int l30_step_parameter(int rank, int n, int by) {
  int i;
  for (i = 0; i < n; i += by) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l31_quadratic(int rank, int n) {
  int sum = 0, i;
  for (i = 1; i < n; i++) {
    /* mark: sum, i */
    sum += i;
    work(sum);
  }
  return sum;
}
int l32_wraps_at_256(int rank, int n) {
  unsigned char c = 250;
  int k = 0;
  do {
    /* mark: c, k */
    c++;
    k = work(k);
  } while (left(9));
  return c;
}
int l33_two_starts(int rank, int n) {
  int i;
  if (rank == 0) i = 0;
  else i = 1;
  for (; i < n; i++) {
    /* mark: i */
    work(i);
  }
  return i;
}
int l34_set_back_once(int rank, int n) {
  int i, again = 1;
  for (i = 0; i < n; i++) {
    /* mark: i, again */
    if (work(i) == 5 && again) {
      again = 0;
      i = 1;
    }
  }
  return i;
}
int l35_through_temporary(int rank, int n) {
  int i = 0, t;
  while (i < n) {
    /* mark: i */
    t = i + 1;
    work(t);
    i = t;
  }
  return i;
}
int l36_returned(int rank, int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    i = successor(i);
  }
  return i;
}
int l37_affine(int rank, int n) {
  int i = 1;
  while (i < n) {
    /* mark: i */
    work(i);
    i = 2 * i + 1;
  }
  return i;
}
int l38_sign_changes(int rank, int n) {
  int i = 1;
  while (i < n && i > -n) {
    /* mark: i */
    work(i);
    i *= -2;
  }
  return i;
}
int l39_towards_each_other(int rank, int n) {
  int i = 0, j = n;
  while (i < j) {
    /* mark: i, j */
    work(i);
    i++;
    j--;
  }
  return i;
}
int l40_bisection(int rank, int n) {
  int low = 0, high = n;
  while (low < high) {
    /* mark: low, high */
    int middle = (low + high) / 2;
    if (coin(rank, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
int l41_zero_doubled(int rank, int n) {
  int i, k = 0;
  for (i = 0; k < n; i *= 2) {
    /* mark: i, k */
    k++;
  }
  return i;
}
int l42_inner_updates(int rank, int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    peek();
    do {
      i++;
    } while (i < n && coin(1, i));
    work(i);
  }
  return i;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  chain[0].link = &chain[3], chain[3].link = &chain[1], chain[1].link = &chain[5], chain[5].link = &chain[2];
  l01_for_up(rank, 8);
  l02_while_up(rank, 8);
  l03_do_while(rank, 9);
  l04_two_updates(rank, 20);
  l05_three_on_one_back(rank, 12);
  l06_conditional(rank, 8);
  l07_either_branch(rank, 12);
  l08_pointer_walk(rank, 8);
  l09_list_walk(&chain[0]);
  l10_doubles(rank, 100);
  l11_shifts(rank, 100);
  l12_halves(rank, 100);
  l13_time(rank, 1.0);
  l14_time_absorbed(rank, 8);
  l15_float_saturates(rank, 8);
  l16_rank_start(rank, 3);
  l17_rank_chunk(rank, 5);
  l18_rank_step(rank, 12);
  l19_nested(rank, 5);
  l20_triangle(rank, 6);
  l21_middle(rank, 8);
  l22_skipped(rank, 8);
  l23_member(&chain[0], 8);
  l24_global(rank, 8);
  l25_static_global(rank, 8);
  l26_by_pointer(rank, 8);
  l27_forever(rank, 9);
  l28_countdown(rank, 8);
  l29_goto(rank, 8);
  l30_step_parameter(rank, 20, 3);
  l31_quadratic(rank, 8);
  l32_wraps_at_256(rank, 8);
  l33_two_starts(rank, 8);
  l34_set_back_once(rank, 9);
  l35_through_temporary(rank, 8);
  l36_returned(rank, 8);
  l37_affine(rank, 100);
  l38_sign_changes(rank, 100);
  l39_towards_each_other(rank, 12);
  l40_bisection(rank, 64);
  l41_zero_doubled(rank, 6);
  l42_inner_updates(rank, 12);
  MPI_Finalize();
  return 0;
}
