/* Loops whose variables move in functions that the loop calls, start at what is computed or set elsewhere, and hear of other tasks
 * through communicators. Some tell the iteration, some only look so. */
#include <mpi.h>
#include <stddef.h>

struct cursor { int at; int end; };
struct box { int (*put)(struct box *box, int count, const int at[]); const int *last; };

extern int work(int value);
extern int coin(int who, int round);
extern int left(int rounds);
extern void keep(int *where);

static int rank, steps, ticks, laps, size;
static int *kept;
static struct cursor shared;
int tuned;
int counted;

static void advance(int *p) { *p = *p + 1; }
static void advance_by_call(int *p) { advance(p); work(*p); advance(p); }
static void advance_late(int *p, int n) {
  for (int k = 0; k < n; k++) work(k);
  if (n > 100) return;
  *p += 2;
}
static void advance_on_all_paths(int *p) {
  if (work(0) & 1) {
    work(1);
    (*p)++;
  } else {
    *p = 1 + *p;
  }
}
static void only_read(const int *p) { work(*p); }
static void advance_in_loop(int *p) { for (int k = 0; k < 2; k++) (*p)++; }
static void remember(int *p) { kept = p; *p += 1; }
static void disturb(void) { if (kept && coin(rank, *kept)) *kept = 0; }
static void write_byte(char *p) { *p = (char)(*p + 1); }
static void write_first(int *p) { p[0] = p[0] + 1; }
static void pass_on(int *p) { keep(p); *p += 1; }
static void moves_pointer(int *p) { *p += 1; p++; }
static void there_and_back(int *p) { *p += 1; work(*p); *p -= 1; }
static void self(int *p, int depth) { if (depth) self(p, depth - 1); *p += 1; }
static int next(int i) { return i + 1; }
static long next_long(int i) { return i + 1L; }
static int next_or_stay(int i) { if (coin(rank, i)) return i; return i + 1; }
static int triple(int i) { return 3 * i; }
static int before(int i) { return i - 1; }
static int changed_first(int i) { i = i + coin(rank, i); return i + 1; }
static void tick(void) { work(ticks); ticks++; work(ticks); }
static void tick_twice(void) { tick(); tick(); }
static void tick_sometimes(void) { if (coin(rank, ticks)) ticks++; }
static void lap(void) { laps = laps + 1; }
static void lap_through(void (*call)(void)) { call(); }

/* Who takes a pointer to what is constant promises not to change it. */
static int put(struct box *box, int count, const int at[]) { return box->put(box, count, at); }
static int put_and_keep(struct box *box, int count, const int at[]) { box->last = at; return work(at[count - 1]); }
static struct box box = { put_and_keep, NULL };
static int *broken;
static void breaks(const int *p) { *(int *)p += coin(rank, *p); }
static void breaks_by_variable(const int *p) { int *q = (int *)p; *q += coin(rank, *q); }
static void breaks_by_element(const int *p) { int *q = (int *)&p[0]; *q += coin(rank, *q); }
static void add_coin(int *p) { *p += coin(rank, *p); }
static void breaks_by_call(const int *p) { box.last = p; add_coin((int *)p); }
static void breaks_later(const int *p) { broken = (int *)p; }
static void break_now(void) { if (broken) *broken += coin(rank, *broken); }
static void promises_less(int *const p) { kept = p; add_coin(p); }
static void promises_of_pointer(const int **p) { box.last = *p; }

/* Moved by a callee. */
void f_advance(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    advance(&i);
  }
}
void f_advance_by_call(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    advance_by_call(&i);
  }
}
void f_advance_late(int n) {
  int i = 0;
  do {
    /* mark: i */
    advance_late(&i, n + 90 * coin(rank, i));
  } while (i < n && left(20));
}
void f_on_all_paths(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    advance_on_all_paths(&i);
    only_read(&i);
  }
}
void f_two_kinds(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    if (work(i) & 1) advance(&i);
    else i += 2;
  }
}
void f_in_loop(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    advance_in_loop(&i);
  }
}
void f_remembered(int n) {
  int i = 0;
  do {
    /* mark: i */
    remember(&i);
    disturb();
  } while (i < n && left(20));
  kept = 0;
}
void f_byte(void) {
  int i = 250;
  do {
    /* mark: i */
    write_byte((char *)&i);
  } while (left(20));
}
void f_first(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    write_first(&i);
  }
}
void f_passed_on(int n) {
  int i = 0;
  do {
    /* mark: i */
    pass_on(&i);
  } while (i < n && left(20));
}
void f_moves_pointer(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    moves_pointer(&i);
  }
}
void f_there_and_back(void) {
  int i = 0;
  do {
    /* mark: i */
    there_and_back(&i);
  } while (left(6));
}
void f_self(void) {
  int i = 0;
  do {
    /* mark: i */
    self(&i, coin(rank, i));
  } while (left(6));
}
void f_member(struct cursor *c, int n) {
  c->at = 0;
  while (c->at < n) {
    /* mark: c->at */
    advance(&c->at);
  }
}
void f_unknown_keeps_member(struct cursor *c, int n) {
  c->at = 0;
  while (c->at < n) {
    /* mark: c->at */
    keep(&c->end);
    c->at++;
  }
}

/* Set to what a callee returns. */
void g_next(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    i = next(i);
  }
}
void g_next_long(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    i = (int)next_long(i);
  }
}
void g_stays(int n) {
  int i = 0;
  do {
    /* mark: i */
    i = next_or_stay(i);
  } while (i < n && left(20));
}
void g_triple(int n) {
  int i = 1;
  while (i < n) {
    /* mark: i */
    i = triple(i);
  }
}
void g_before(int n) {
  int i;
  for (i = n; i > 0; i = before(i)) {
    /* mark: i */
    work(i);
  }
}
void g_of_another(int n) {
  int i = 0, k = 5;
  do {
    /* mark: i, k */
    k = work(k);
    i = next(k);
  } while (i < n && left(12));
}
void g_changed_first(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    i = changed_first(i);
  }
}

/* Counted in a global by a callee. */
void h_tick(void) {
  for (ticks = 0; ticks < 6;) {
    /* mark: ticks */
    tick();
  }
}
void h_tick_twice(void) {
  ticks = 0;
  while (ticks < 9) {
    /* mark: ticks */
    tick_twice();
  }
}
void h_sometimes(void) {
  ticks = 0;
  do {
    /* mark: ticks */
    tick_sometimes();
  } while (ticks < 6 && left(20));
}
void h_through_pointer(void) {
  laps = 0;
  while (laps < 5) {
    /* mark: laps */
    lap_through(lap);
  }
}
void h_both(void) {
  steps = 0;
  while (steps < 9) {
    /* mark: steps */
    steps++;
    work(steps);
    steps++;
  }
}

/* Starts that are computed, and starts that do not stay. */
void s_block(int chunk) {
  int i, first = rank * chunk + 2;
  for (i = first; i < first + chunk; i++) {
    /* mark: i */
    work(i);
  }
}
void s_expression(int me, int chunk, int offset) {
  int i;
  for (i = me * chunk - offset; i < 20; i += 3) {
    /* mark: i */
    work(i);
  }
}
void s_share(int me, int n, int parts) {
  int i;
  for (i = me * n / parts; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void s_chunk_changes(int me, int chunk) {
  int i;
  for (i = me * chunk; i < 12; i++) {
    /* mark: i, chunk */
    chunk = work(i);
  }
}
void s_global_rank(void) {
  int i;
  for (i = rank; i < 9; i++) {
    /* mark: i */
    work(i);
  }
}
void s_global_moves(void) {
  int i;
  tuned = rank;
  i = tuned;
  tuned += 2;
  while (i < 9) {
    /* mark: i */
    i++;
  }
}
void s_global_set_in_loop(void) {
  int i;
  for (i = tuned; i < 12; i++) {
    /* mark: i, tuned */
    MPI_Comm_rank(MPI_COMM_WORLD, &tuned);
  }
}
void s_size(void) {
  int i;
  for (i = size; i < 12; i += size) {
    /* mark: i */
    work(i);
  }
}

/* Sums of what counts up. */
void v_triangle(int n) {
  int s = 0, i;
  for (i = 1; i < n; i++) {
    /* mark: s, i */
    s += i;
  }
}
void v_from_zero(int n) {
  int s = 0, i;
  for (i = 0; i < n; i++) {
    /* mark: s, i */
    s += i;
  }
}
void v_set_back(int n) {
  int s = 0, i = 1;
  do {
    /* mark: s, i */
    s += i;
    i++;
    if (coin(rank, s)) i = -2;
  } while (left(n));
}
void v_down(int n) {
  int s = 100, i;
  for (i = 2; i < n; i += 2) {
    /* mark: s, i */
    s -= i;
  }
}

/* Collectives over some of the tasks. */
void m_half(void) {
  int half, first = 0, i;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
  MPI_Bcast(&first, 1, MPI_INT, 0, half);
  for (i = first; i < 9; i++) {
    /* mark: i */
    work(i);
  }
}
void m_copy(void) {
  int all, first = 0, i;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Bcast(&first, 1, MPI_INT, 0, all);
  for (i = first; i < 9; i++) {
    /* mark: i */
    work(i);
  }
}
static void share(int *value, int communicator) { MPI_Bcast(value, 1, MPI_INT, 0, communicator); }
void m_wrapped(void) {
  int half, first = 0, i;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
  share(&first, half);
  for (i = first; i < 9; i++) {
    /* mark: i */
    work(i);
  }
}
void m_of_parameter(int communicator) {
  int first = 0, i;
  MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MAX, communicator);
  for (i = first; i < 9; i++) {
    /* mark: i */
    work(i);
  }
}

void p_put(int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    put(&box, 1, &i);
  }
}
void p_put_cast(int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    /* mark: i */
    j = i;
    put(&box, 1, (const int *)&i);
    put(&box, 1, &j);
  }
}
void p_breaks(int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    breaks(&i);
  }
}
void p_breaks_by_variable(int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    breaks_by_variable(&i);
  }
}
void p_breaks_by_element(int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    breaks_by_element(&i);
  }
}
void p_breaks_by_call(int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    breaks_by_call(&i);
  }
}
void p_breaks_later(int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    breaks_later(&i);
    break_now();
  }
  broken = NULL;
}
void p_promises_less(int n) {
  int i;
  for (i = 0; i < n; i++) {
    /* mark: i */
    promises_less(&i);
  }
  kept = NULL;
}
void p_pointer(int n) {
  int of[64];
  const int *i;
  for (int k = 0; k < 64; k++) of[k] = k;
  for (i = of; i < of + n; i++) {
    /* mark: i */
    promises_of_pointer(&i);
  }
}

int main(int argc, char **argv) {
  int half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  f_advance(6);
  f_advance_by_call(8);
  f_advance_late(20);
  f_on_all_paths(6);
  f_two_kinds(9);
  f_in_loop(9);
  f_remembered(9);
  f_byte();
  f_first(6);
  f_passed_on(6);
  f_moves_pointer(6);
  f_there_and_back();
  f_self();
  f_member(&shared, 6);
  f_unknown_keeps_member(&shared, 6);
  g_next(6);
  g_next_long(6);
  g_stays(6);
  g_triple(200);
  g_before(6);
  g_of_another(50);
  g_changed_first(9);
  h_tick();
  h_tick_twice();
  h_sometimes();
  h_through_pointer();
  h_both();
  s_block(4);
  s_expression(rank, 4, 3);
  s_share(rank, 12, 3);
  s_chunk_changes(rank, 2);
  s_global_rank();
  s_global_moves();
  tuned = rank;
  s_global_set_in_loop();
  s_size();
  v_triangle(6);
  v_from_zero(6);
  v_set_back(9);
  v_down(9);
  m_half();
  m_copy();
  m_wrapped();
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
  m_of_parameter(half);
  p_put(9);
  p_put_cast(9);
  p_breaks(9);
  p_breaks_by_variable(9);
  p_breaks_by_element(9);
  p_breaks_by_call(9);
  p_breaks_later(9);
  p_promises_less(9);
  p_pointer(9);
  counted = 1;
  MPI_Finalize();
  return 0;
}
