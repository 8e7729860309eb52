/* Loops with known answers: the common kinds, each in a few shapes. `src/loops/sheet.rs` says what the marks mean. */
#include <mpi.h>
#include <stddef.h>

struct state { int step; int left; struct state *next; double time; };
struct queue { int first, last; int item[64]; };

extern int work(int value);
extern int coin(int rank, int round);
extern int left(int rounds);
extern void see(double value);

static int rank;
static int count;
static int hidden;
int shared;
static int cells[16];
static struct state nodes[6];

void forward(int *p) { *p = *p + 1; }
static void count_on(void) { count = count + 1; }
static int following(int i) { return i + 2; }
static int halve(int i) { return i / 2; }

/* Counting up and down. */
void a_for_up(int n) {
  for (int i = 0; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void a_while_up(int n) {
  int it = 1;
  while (it <= n) {
    /* mark: it */
    work(it);
    it++;
  }
}
void a_do_by_three(int n) {
  int i = 0;
  do {
    /* mark: i */
    work(i);
    i += 3;
  } while (i < n);
}
void a_middle(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(0);
    ++i;
    work(1);
  }
}
void a_first(int n) {
  int i = 0;
  while (i < n) {
    i = i + 1;
    /* mark: i */
    work(i);
  }
}
void a_twice(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    i++;
    work(i);
    i += 2;
  }
}
void a_there_and_back(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    i += 4;
    work(i);
    i -= 2;
  }
}
void a_down(int n) {
  for (int i = n; i > 0; i--) {
    /* mark: i */
    work(i);
  }
}
void a_size_down(size_t n) {
  size_t k = n;
  while (k-- > 0) {
    /* mark: k */
    work((int) k);
  }
}
void a_unsigned_param(unsigned n) {
  while (n > 0) {
    /* mark: n */
    work((int) n);
    n -= 1;
  }
}
void a_fortran(int n) {
  int i, last = n, by = 2;
  for (i = 1; i <= last; i += by) {
    /* mark: i */
    work(i);
  }
}
void a_minus_minus(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    i -= -1;
  }
}
void a_two_counters(int n) {
  for (int i = 0, j = n; i < j; i++, j--) {
    /* mark: i, j */
    work(i + j);
  }
}
void a_in_condition(int n) {
  int i = -1;
  while (++i < n) {
    /* mark: i */
    work(i);
  }
}
void a_long(long n) {
  long i;
  for (i = 0; i < n; i += 1) {
    /* mark: i */
    work((int) i);
  }
}
void a_forever(int n) {
  int it = 0;
  for (;;) {
    /* mark: it */
    if (work(it) > 100 || it >= n) break;
    it++;
  }
}
void a_goto(int n) {
  int i = 0;
again:
  /* mark: i */
  work(i);
  i++;
  if (i < n) goto again;
}
void a_with_continue(int n) {
  for (int i = 0; i < n; i++) {
    /* mark: i */
    if (coin(rank, i)) continue;
    work(i);
  }
}

/* Other growth. */
void b_double(int n) {
  for (int i = 1; i < n; i *= 2) {
    /* mark: i */
    work(i);
  }
}
void b_shift(int n) {
  for (int i = 1; i < n; i <<= 1) {
    /* mark: i */
    work(i);
  }
}
void b_halve(int n) {
  for (int i = n; i > 0; i /= 2) {
    /* mark: i */
    work(i);
  }
}
void b_affine(int n) {
  int i = 1;
  while (i < n) {
    /* mark: i */
    i = 2 * i + 1;
    work(i);
  }
}
void b_zero_times_two(int n) {
  int i = 0, k = 0;
  while (k < n) {
    /* mark: i, k */
    i *= 2;
    k++;
  }
}
void b_sign_changes(int n) {
  int i = 1;
  while (i < n && i > -n) {
    /* mark: i */
    i *= -2;
    work(i);
  }
}
void b_saturates(int n) {
  int x = 5, k = 0;
  do {
    /* mark: x, k */
    x /= 2;
    k++;
  } while (k < n);
}
void b_triangular(int n) {
  int sum = 0;
  for (int i = 1; i < n; i++) {
    /* mark: i, sum */
    sum += i;
    work(sum);
  }
}
void b_wraps(int n) {
  unsigned char c = 250;
  int k = 0;
  while (k < n) {
    /* mark: c, k */
    c++;
    k++;
  }
}
void b_wraps_only(void) {
  unsigned char c = 253;
  do {
    /* mark: c */
    c++;
  } while (left(8));
}

/* Floating point. */
void c_time(double end) {
  double t = 0.0, dt = 0.25;
  while (t < end) {
    /* mark: t */
    see(t);
    t += dt;
  }
}
void c_float_time(void) {
  float t = 0.0f;
  while (t < 2.0f) {
    /* mark: t */
    see(t);
    t += 0.5f;
  }
}
void c_absorbed(void) {
  float f = 16777214.0f;
  int k = 0;
  while (k < 6) {
    /* mark: f, k */
    f += 1.0f;
    k++;
  }
}
void c_absorbed_only(void) {
  double t = 9007199254740990.0;
  do {
    /* mark: t */
    t += 0.5;
  } while (left(8));
}
void c_member_time(struct state *s) {
  s->time = 0.0;
  while (s->time < 2.0) {
    /* mark: s->time */
    see(s->time);
    s->time += 0.5;
  }
}

/* Elsewhere than in a local variable. */
void d_member(struct state *s, int n) {
  s->step = 0;
  while (s->step < n) {
    /* mark: s->step */
    work(s->step);
    s->step++;
  }
}
void d_local_struct(int n) {
  struct state s;
  for (s.step = 0; s.step < n; s.step++) {
    /* mark: s.step */
    work(s.step);
  }
}
void d_global(int n) {
  for (shared = 0; shared < n; shared++) {
    /* mark: shared */
    work(1);
  }
}
void d_static_global(int n) {
  for (hidden = 0; hidden < n; hidden++) {
    /* mark: hidden */
    work(1);
  }
}
void d_by_pointer(int n) {
  int i = 0, *p = &i;
  while (i < n) {
    /* mark: i */
    work(i);
    *p += 1;
  }
}
void d_by_callee(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    forward(&i);
  }
}
void d_in_callee(int n) {
  count = 0;
  while (count < n) {
    /* mark: count */
    work(count);
    count_on();
  }
}
void d_returned(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    i = following(i);
  }
}
void d_returned_half(int n) {
  int i = n;
  while (i > 0) {
    /* mark: i */
    work(i);
    i = halve(i);
  }
}
void d_copied(int n) {
  int i = 0, next;
  while (i < n) {
    /* mark: i */
    next = i + 1;
    work(next);
    i = next;
  }
}
void d_pointer_walk(int n) {
  for (int *p = cells; p < cells + n; p++) {
    /* mark: p */
    work(*p);
  }
}
void d_list(struct state *s) {
  for (; s; s = s->next) {
    /* mark: s */
    work(s->left);
  }
}
void d_queue(void) {
  struct queue q;
  q.first = 0;
  q.last = 0;
  q.item[q.last++] = 1;
  while (q.first < q.last && q.last < 40) {
    /* mark: q.first, q.last */
    int item = q.item[q.first++];
    if (item < 8) q.item[q.last++] = item * 2;
    if (coin(rank, item) && item < 8) q.item[q.last++] = item * 2 + 1;
  }
}

/* Now and then. */
void e_conditional(int n) {
  int i = 0, k = 0;
  while (i < n && k < 60) {
    /* mark: i, k */
    if (coin(rank, k)) i++;
    k++;
  }
}
void e_conditional_only(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    if (coin(rank, work(i))) i++;
  }
}
void e_both(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    if (coin(rank, i)) i++;
    else i += 2;
    work(i);
  }
}
void e_both_the_same(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    if (coin(rank, i)) { work(i); i++; }
    else { i++; work(i); }
  }
}
void e_skipped(int n) {
  int i = 0, k = 0;
  while (i < n && k < 60) {
    k++;
    /* mark: i, k */
    if (coin(rank, k)) continue;
    i++;
  }
}
void e_restarted(int n) {
  int i, once = 1;
  for (i = 0; i < n; i++) {
    /* mark: i */
    if (i == 3 && once) {
      once = 0;
      i = 1;
    }
  }
}
void e_until(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    do {
      i++;
    } while (i < n && coin(rank, i));
  }
}
void e_bisection(int n) {
  int low = 0, high = n;
  while (low < high) {
    /* mark: low, high */
    int middle = (low + high) / 2;
    if (coin(rank, middle)) low = middle + 1;
    else high = middle;
  }
}

/* By rank. */
void f_start(int n) {
  for (int i = rank; i < rank + n; i++) {
    /* mark: i */
    work(i);
  }
}
void f_cyclic(int size) {
  for (int i = rank; i < 30; i += size) {
    /* mark: i */
    work(i);
  }
}
void f_chunk(int chunk) {
  for (int i = rank * chunk; i < (rank + 1) * chunk; i++) {
    /* mark: i */
    work(i);
  }
}
void f_step(int n) {
  for (int i = 0; i < n; i += rank + 1) {
    /* mark: i */
    work(i);
  }
}
void f_bound(int n) {
  for (int i = 0; i < n + rank; i++) {
    /* mark: i */
    work(i);
  }
}
void f_choice(int n) {
  int i;
  if (rank == 0) i = 0;
  else i = 1;
  for (; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void f_argument(int first, int n) {
  int i = first;
  while (i < n) {
    /* mark: i */
    work(i);
    i++;
  }
}
void f_step_argument(int n, int by) {
  for (int i = 0; i < n; i += by) {
    /* mark: i */
    work(i);
  }
}
void f_constant_argument(int n, int by) {
  for (int i = 0; i < n; i += by) {
    /* mark: i */
    work(i);
  }
}

/* One in another. */
void g_inner(int n) {
  for (int i = 0; i < 3; i++) {
    /* start: j */
    work(i);
    for (int j = 0; j < n; j++) {
      /* mark: j */
      work(j);
    }
  }
}
void g_over_all(int n) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    /* mark: i, k */
    work(i);
    for (int j = 0; j < i; j++) {
      k++;
    }
  }
}
void g_inner_counts_all(int n) {
  int k = 0;
  for (int i = 1; i < n; i++) {
    work(i);
    /* start: j, k */
    work(k);
    for (int j = 0; j < i; j++) {
      /* mark: j, k */
      k++;
    }
  }
}
void g_triangular_start(int n) {
  for (int i = 0; i < n; i++) {
    /* start: j */
    work(i);
    for (int j = i; j < n; j++) {
      /* mark: j */
      work(j);
    }
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  nodes[0].next = &nodes[3], nodes[3].next = &nodes[1], nodes[1].next = &nodes[5], nodes[5].next = &nodes[2];
  a_for_up(5);
  a_while_up(5);
  a_do_by_three(9);
  a_middle(5);
  a_first(5);
  a_twice(12);
  a_there_and_back(9);
  a_down(5);
  a_size_down(5);
  a_unsigned_param(5);
  a_fortran(9);
  a_minus_minus(5);
  a_two_counters(9);
  a_in_condition(5);
  a_long(5);
  a_forever(5);
  a_goto(5);
  a_with_continue(6);
  b_double(40);
  b_shift(40);
  b_halve(40);
  b_affine(60);
  b_zero_times_two(5);
  b_sign_changes(40);
  b_saturates(6);
  b_triangular(6);
  b_wraps(12);
  b_wraps_only();
  c_time(2.0);
  c_float_time();
  c_absorbed();
  c_absorbed_only();
  c_member_time(&nodes[0]);
  d_member(&nodes[0], 5);
  d_local_struct(5);
  d_global(5);
  d_static_global(5);
  d_by_pointer(5);
  d_by_callee(5);
  d_in_callee(5);
  d_returned(9);
  d_returned_half(40);
  d_copied(5);
  d_pointer_walk(6);
  d_list(&nodes[0]);
  d_queue();
  e_conditional(5);
  e_conditional_only(5);
  e_both(9);
  e_both_the_same(6);
  e_skipped(5);
  e_restarted(7);
  e_until(9);
  e_bisection(40);
  f_start(4);
  f_cyclic(3);
  f_chunk(4);
  f_step(9);
  f_bound(4);
  f_choice(5);
  f_argument(rank, 6);
  f_step_argument(9, rank + 1);
  f_constant_argument(9, 2);
  g_inner(4);
  g_over_all(5);
  g_inner_counts_all(5);
  g_triangular_start(5);
  MPI_Finalize();
  return 0;
}
