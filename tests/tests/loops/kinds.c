/* Loops as programs have them: translated Fortran, iterators, work queues, callees that count, values that came by message. */
#include <mpi.h>
#include <stddef.h>

typedef int integer;
typedef double doublereal;

struct cursor { int place, end; };
struct item { int key; struct item *next; };
struct queue { int head, tail; int slot[64]; };
struct solver { int step, limit; double time; struct cursor inner; };

extern int work(int value);
extern void peek(void);
extern int coin(int who, int round);
extern int left(int rounds);
extern void see(double value);

static int rank, size;
static int values[32];
static struct item items[6];
static struct queue jobs;
static struct solver solver;
static int ticks;

/* Fortran, as f2c and by hand. */
int a_do_(integer *n) {
  integer i__1, i__;
  i__1 = *n;
  for (i__ = 1; i__ <= i__1; ++i__) {
    /* mark: i__ */
    work(i__);
  }
  return 0;
}
int a_do_by_(integer *first, integer *last, integer *by) {
  integer i__1, i__2, i__;
  i__1 = *last;
  i__2 = *by;
  for (i__ = *first; i__2 < 0 ? i__ >= i__1 : i__ <= i__1; i__ += i__2) {
    /* mark: i__ */
    work(i__);
  }
  return 0;
}
int a_do_static_(integer *n) {
  static integer i__;
  integer i__1 = *n;
  for (i__ = 1; i__ <= i__1; ++i__) {
    /* mark: i__ */
    work(i__);
  }
  return 0;
}
int a_do_label_(integer *n) {
  integer i__ = 1;
L10:
  /* mark: i__ */
  work(i__);
  if (i__ >= *n) goto L20;
  ++i__;
  goto L10;
L20:
  return 0;
}
int a_trips_(integer *first, integer *last, integer *by) {
  integer trips = (*last - *first + *by) / *by, i__ = *first;
  while (trips-- > 0) {
    /* mark: trips, i__ */
    work(i__);
    i__ += *by;
  }
  return 0;
}
int a_nest_(integer *n, integer *m) {
  integer i__, j, i__1 = *n, i__2;
  for (j = 1; j <= i__1; ++j) {
    /* start: i__ */
    i__2 = *m;
    for (i__ = 1; i__ <= i__2; ++i__) {
      /* mark: i__ */
      work(i__);
    }
  }
  return 0;
}
int a_down_(integer *n) {
  integer k;
  for (k = *n; k >= 1; --k) {
    /* mark: k */
    work(k);
  }
  return 0;
}
int a_time_(doublereal *end, doublereal *dt) {
  doublereal t = 0., h = *dt;
  while (t < *end) {
    /* mark: t */
    see(t);
    t += h;
  }
  return 0;
}

/* Arrays, iterators, lists. */
void b_size_up(size_t n) {
  for (size_t i = 0; i < n; i++) {
    /* mark: i */
    work(values[i]);
  }
}
void b_size_down(size_t n) {
  while (n-- > 0) {
    /* mark: n */
    work(values[n]);
  }
}
void b_for_size_down(size_t n) {
  for (size_t i = n; i-- > 0;) {
    /* mark: i */
    work(values[i]);
  }
}
void b_blocks(size_t n) {
  for (size_t i = 0; i < n; i += 4) {
    /* mark: i */
    work((int) i);
  }
}
void b_text(const char *s) {
  while (*s) {
    /* mark: s */
    work(*s++);
  }
}
void b_to_end(int n) {
  int *p = values, *end = values + n;
  do {
    /* mark: p */
    work(*p);
  } while (++p != end);
}
void b_backwards(int n) {
  int *p = values + n;
  while (p > values) {
    /* mark: p */
    --p;
    work(*p);
  }
}
void b_structures(struct item *first, int n) {
  for (struct item *p = first; p < first + n; p++) {
    /* mark: p */
    work(p->key);
  }
}
static void cursor_start(struct cursor *c, int n) { c->place = 0; c->end = n; }
static int cursor_more(const struct cursor *c) { return c->place < c->end; }
static void cursor_next(struct cursor *c) { c->place++; }
void b_cursor(int n) {
  struct cursor c;
  for (cursor_start(&c, n); cursor_more(&c); cursor_next(&c)) {
    /* mark: c.place */
    work(c.place);
  }
}
void b_cursor_by_hand(int n) {
  struct cursor c = {0, n};
  while (c.place < c.end) {
    /* mark: c.place */
    see(values[c.place]);
    c.place++;
  }
}
void b_list(struct item *head) {
  for (struct item *p = head; p; p = p->next) {
    /* mark: p */
    work(p->key);
  }
}
void b_list_counted(struct item *head) {
  int n = 0;
  for (struct item *p = head; p; p = p->next, n++) {
    /* mark: p, n */
    work(p->key);
  }
}
void b_list_with_last(struct item *head) {
  struct item *last = 0, *p = head;
  int seen = 0;
  while (p) {
    /* mark: p, last, seen */
    last = p;
    p = p->next;
    seen += 1;
  }
}
void b_chain(int first) {
  static const int next[6] = {3, 5, -1, 1, 0, 2};
  for (int i = first; i >= 0; i = next[i]) {
    /* mark: i */
    work(i);
  }
}

/* Queues and searches. */
void c_queue(void) {
  int head = 0, tail = 0, slot[64];
  slot[tail++] = 1;
  while (head < tail && tail < 40) {
    /* mark: head, tail */
    int key = slot[head++];
    if (key < 8) slot[tail++] = key * 2;
    if (coin(rank, key) && key < 8) slot[tail++] = key * 2 + 1;
  }
}
void c_ring(void) {
  int head = 0, done = 0, slot[4] = {0};
  while (done < 9) {
    /* mark: head, done */
    slot[head] = work(done);
    head = (head + 1) % 4;
    done++;
  }
}
void c_ring_alone(void) {
  int head = 0, slot[4] = {0};
  while (left(9)) {
    /* mark: head */
    slot[head] = work(0);
    head = (head + 1) & 3;
  }
}
void c_static_queue(void) {
  jobs.head = 0;
  jobs.tail = 6;
  while (jobs.head < jobs.tail) {
    /* mark: jobs.head */
    int key = jobs.slot[jobs.head];
    jobs.head++;
    see(key);
  }
}
void c_stack(void) {
  int stack[64], top = 0, seen = 0;
  stack[top++] = 1;
  while (top > 0) {
    /* mark: top, seen */
    int key = stack[--top];
    seen++;
    if (key < 8) {
      stack[top++] = key * 2;
      stack[top++] = key * 2 + 1;
    }
  }
}
void c_bisection(int n, int wanted) {
  int low = 0, high = n;
  while (high - low > 1) {
    /* mark: low, high */
    int middle = (low + high) / 2;
    if (middle <= wanted) low = middle;
    else high = middle;
  }
}
void c_bisection_counted(int n, int wanted) {
  int low = 0, high = n, round = 0;
  while (high - low > 1) {
    /* mark: low, high, round */
    int middle = low + (high - low) / 2;
    round++;
    if (middle <= wanted) low = middle;
    else high = middle;
  }
}
void c_common_divisor(int a, int b) {
  while (b) {
    /* mark: b, a */
    int rest = a % b;
    a = b;
    b = rest;
  }
}
void c_bits(unsigned set) {
  while (set) {
    /* mark: set */
    set &= set - 1;
    work(0);
  }
}
void c_digits(int n) {
  while (n > 0) {
    /* mark: n */
    work(n % 10);
    n /= 10;
  }
}
void c_thirds(long n) {
  for (long i = 1; i <= n; i *= 3) {
    /* mark: i */
    work((int) i);
  }
}
void c_refine(double error) {
  double h = 1.0;
  while (h > error) {
    /* mark: h */
    see(h);
    h *= 0.5;
  }
}
void c_fibonacci(int n) {
  int a = 1, b = 1;
  while (a < n) {
    /* mark: a, b */
    int sum = a + b;
    a = b;
    b = sum;
    work(a);
  }
}
void c_step_back(int n) {
  int i = 0, tries = 0;
  while (i < n && tries < 20) {
    /* mark: i, tries */
    tries++;
    if (coin(rank, tries) && i > 0) i--;
    else i++;
  }
}

/* Counted elsewhere. */
static void tick(void) { ticks++; }
static void tick_below(void) { peek(); tick(); }
void d_ticks(int n) {
  ticks = 0;
  while (ticks < n) {
    /* mark: ticks */
    see(ticks);
    tick();
  }
}
void d_ticks_below(int n) {
  ticks = 0;
  do {
    /* mark: ticks */
    see(ticks);
    tick_below();
  } while (ticks < n);
}
static void advance(struct solver *s) { s->step++; }
void d_advance(struct solver *s, int n) {
  s->step = 0;
  while (s->step < n) {
    /* mark: s->step */
    see(s->step);
    advance(s);
  }
}
void d_advance_own(int n) {
  struct solver s;
  s.step = 0;
  while (s.step < n) {
    /* mark: s.step */
    see(s.step);
    advance(&s);
  }
}
static void add(int *to, int what) { *to += what; }
void d_add(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    add(&i, 3);
  }
}
static void count_down(size_t *n) { --*n; }
void d_count_down(size_t n) {
  while (n > 0) {
    /* mark: n */
    work((int) n);
    count_down(&n);
  }
}
static int next(int i) { return i + 1; }
static int next_by(int i, int by) { return i + by; }
static int next_of_next(int i) { return next(next(i)); }
void d_next(int n) {
  for (int i = 0; i < n; i = next(i)) {
    /* mark: i */
    work(i);
  }
}
void d_next_by(int n) {
  for (int i = 0; i < n; i = next_by(i, 2)) {
    /* mark: i */
    work(i);
  }
}
void d_next_of_next(int n) {
  for (int i = 0; i < n; i = next_of_next(i)) {
    /* mark: i */
    work(i);
  }
}
static int twice(int i) { return 2 * i; }
void d_twice(int n) {
  for (int i = 1; i < n; i = twice(i)) {
    /* mark: i */
    work(i);
  }
}
void d_in_both_branches(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    if (coin(rank, i)) add(&i, 1);
    else i = next(i);
  }
}
void d_nested_member(struct solver *s, int n) {
  for (s->inner.place = 0; s->inner.place < n; s->inner.place++) {
    /* mark: s->inner.place */
    see(s->inner.place);
  }
}
void d_pointer_to_counter(int n) {
  int i = 0, *p = &i;
  while (*p < n) {
    /* mark: i */
    work(i);
    (*p)++;
  }
}
void d_given_counter(int *p, int n) {
  *p = 0;
  while (*p < n) {
    /* mark: *p */
    see(*p);
    ++*p;
  }
}
void d_volatile(int n) {
  volatile int i = 0;
  while (i < n) {
    /* mark: i */
    work(i);
    i = i + 1;
  }
}

/* Shapes. */
void e_break_in_the_middle(int n) {
  int i = 0;
  do {
    /* mark: i */
    if (work(i) > 8 && i > n) break;
    i++;
  } while (i < 2 * n);
}
void e_reset(int n) {
  int i, j = 0;
  for (i = 0; i < n; i++) {
    /* start: j */
    while (j < 4) {
      /* mark: j */
      work(j);
      j++;
    }
    j = 0;
  }
}
void e_triangle(int n) {
  for (int i = 0; i < n; i++) {
    /* start: j */
    for (int j = i; j > 0; j--) {
      /* mark: j */
      work(j);
    }
  }
}
void e_together(int n) {
  int i, j;
  for (i = 0, j = n - 1; i < j; ++i, --j) {
    /* mark: i, j */
    work(i - j);
  }
}
void e_return_inside(int n) {
  for (int i = 0;; i++) {
    /* mark: i */
    if (i == n) return;
    work(i);
  }
}
void e_switch(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    switch (work(i) % 3) {
    case 0: peek(); break;
    case 1: peek();
    default: peek();
    }
    i++;
  }
}
void e_goto_continue(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    if (coin(rank, i)) goto on;
    work(i);
  on:
    i++;
  }
}
void e_comma(int n) {
  int i = 0;
  while (work(i), i < n) {
    /* mark: i */
    peek();
    i++;
  }
}
#define TAKE(a) ({ int seen = work(a); see(seen); (a) += 2; seen; })
void e_statement_expression(int n) {
  int i = 0, last = 0;
  while (i < n) {
    /* mark: i, last */
    last = TAKE(i);
    see(last);
  }
}
#define MAYBE(a) ({ if (coin(rank, a)) (a) += 2; else (a) += 1; a; })
void e_branch_in_expression(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    see(MAYBE(i));
  }
}
void e_retry(int n) {
  int i = 0, tries = 0;
  while (i < n) {
    /* mark: i, tries */
    tries++;
    if (tries % 3 != 0) continue;
    i++;
  }
}
void e_polling(void) {
  int request = 5, flag = 0;
  while (!flag) {
    /* mark: request, flag */
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
}
void e_polling_counted(void) {
  int request = 5, flag = 0;
  long spins = 0;
  while (!flag) {
    /* mark: spins, request, flag */
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    spins++;
  }
}
void e_until_time(void) {
  double start = MPI_Wtime();
  int spins = 0;
  while (MPI_Wtime() - start < 3.0) {
    /* mark: spins */
    spins++;
  }
}

/* By message. */
void f_received_bound(void) {
  int n;
  MPI_Status status;
  MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
  for (int i = 0; i < n + 3; i++) {
    /* mark: i */
    work(i);
  }
}
void f_received_start(int n) {
  int first;
  MPI_Recv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void f_received_into_counter(int n) {
  int i;
  MPI_Recv(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (i < n) {
    /* mark: i */
    work(i);
    i++;
  }
}
void f_received_step(int n) {
  int by;
  MPI_Recv(&by, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i += by) {
    /* mark: i */
    work(i);
  }
}
void f_received_chunk(void) {
  int chunk, mine;
  MPI_Recv(&chunk, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  for (int i = mine * chunk; i < (mine + 1) * chunk + 2; i++) {
    /* mark: i */
    work(i);
  }
}
void f_broadcast_chunk(void) {
  int chunk = 4, mine;
  MPI_Bcast(&chunk, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  for (int i = mine * chunk; i < (mine + 1) * chunk; i++) {
    /* mark: i */
    work(i);
  }
}
void f_broadcast_start(int n) {
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void f_broadcast_step(double end) {
  double dt = 0;
  if (rank == 0) dt = 0.5;
  MPI_Bcast(&dt, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double t = 0;
  while (t < end) {
    /* mark: t */
    see(t);
    t += dt;
  }
}
void f_reduced_start(int n) {
  int mine = rank, first;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void f_reduced_guard(int n) {
  int it = 0, mine = rank, all;
  do {
    /* mark: it */
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all > 2) it++;
    else it += 2;
  } while (it < n);
}
void f_cyclic(int n) {
  int mine, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  for (int i = mine; i < n; i += all) {
    /* mark: i */
    work(i);
  }
}
void f_partners(void) {
  int mine, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  for (int mask = 1; mask < 8 * all; mask <<= 1) {
    /* mark: mask */
    work(mine ^ mask);
  }
}
void f_rounds(int n) {
  int mine;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  for (int round = 0; round < n; round++) {
    /* mark: round */
    if (mine == 0) MPI_Send(&round, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else work(round);
  }
}
void f_sizes_of_all(int n) {
  int mine = rank, all[3];
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = all[0]; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void f_scattered(int n) {
  int first;
  MPI_Scatter(values, 1, MPI_INT, &first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
static void own_range(int n, int *first, int *last) {
  *first = rank * n / size;
  *last = (rank + 1) * n / size;
}
void f_own_range(int n) {
  int first, last;
  own_range(n, &first, &last);
  for (int i = first; i < last; i++) {
    /* mark: i */
    work(i);
  }
}
static int common(void) { int n = 2; MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD); return n; }
void f_common(int n) {
  for (int i = common(); i < n; i++) {
    /* mark: i */
    work(i);
  }
}

int main(int argc, char **argv) {
  integer one = 1, two = 2, minus = -3, nine = 9;
  doublereal end = 2., dt = .25;
  int counter;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  items[0].next = &items[3], items[3].next = &items[1], items[1].next = &items[5], items[5].next = &items[2];
  a_do_(&nine);
  a_do_by_(&nine, &one, &minus);
  a_do_static_(&nine);
  a_do_label_(&nine);
  a_trips_(&one, &nine, &two);
  a_nest_(&two, &nine);
  a_down_(&nine);
  a_time_(&end, &dt);
  b_size_up(6);
  b_size_down(6);
  b_for_size_down(6);
  b_blocks(20);
  b_text("hindmost");
  b_to_end(6);
  b_backwards(6);
  b_structures(items, 5);
  b_cursor(5);
  b_cursor_by_hand(5);
  b_list(&items[0]);
  b_list_counted(&items[0]);
  b_list_with_last(&items[0]);
  b_chain(4);
  c_queue();
  c_ring();
  c_ring_alone();
  c_static_queue();
  c_stack();
  c_bisection(100, 37);
  c_bisection_counted(100, 37);
  c_common_divisor(89, 55);
  c_bits(0x1b7);
  c_digits(54321);
  c_thirds(300);
  c_refine(0.01);
  c_fibonacci(60);
  c_step_back(7);
  d_ticks(6);
  d_ticks_below(6);
  d_advance(&solver, 6);
  d_advance_own(6);
  d_add(12);
  d_count_down(6);
  d_next(6);
  d_next_by(9);
  d_next_of_next(9);
  d_twice(60);
  d_in_both_branches(6);
  d_nested_member(&solver, 6);
  d_pointer_to_counter(6);
  d_given_counter(&counter, 6);
  d_volatile(6);
  e_break_in_the_middle(5);
  e_reset(3);
  e_triangle(5);
  e_together(9);
  e_return_inside(6);
  e_switch(7);
  e_goto_continue(7);
  e_comma(6);
  e_statement_expression(9);
  e_branch_in_expression(9);
  e_retry(5);
  e_polling();
  e_polling_counted();
  e_until_time();
  f_received_bound();
  f_received_start(9);
  f_received_into_counter(9);
  f_received_step(15);
  f_received_chunk();
  f_broadcast_chunk();
  f_broadcast_start(9);
  f_broadcast_step(2.0);
  f_reduced_start(9);
  f_reduced_guard(8);
  f_cyclic(20);
  f_partners();
  f_rounds(6);
  f_sizes_of_all(9);
  f_scattered(9);
  f_own_range(20);
  f_common(9);
  MPI_Finalize();
  return 0;
}
