/* Loops whose variables look as if they told the iteration and do not, or not always: wrap-around, saturation, rounding, other
 * ways to the same memory, starts and steps that do not stay. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef unsigned char byte;
typedef float real;
typedef unsigned int natural;

struct small { unsigned char count; signed char sign; unsigned bits : 3; float sum; bool flag; unsigned short half; };
union either { int whole; float part; };
struct node { int step; struct node *next; };

extern int work(int value);
extern void peek(void);
extern int coin(int who, int round);
extern int left(int rounds);
extern void see(double value);

static int rank;
static struct small state;
static struct node nodes[6];
static int marks[8];
static byte ticks;
static int *where;

/* Around the end of the type. */
void a_unsigned_char(void) {
  unsigned char c = 250;
  do {
    /* mark: c */
    c++;
  } while (left(12));
}
void a_signed_char(void) {
  signed char c = 120;
  do {
    /* mark: c */
    c += 3;
  } while (left(12));
}
void a_byte(void) {
  byte c = 250;
  do {
    /* mark: c */
    c++;
  } while (left(12));
}
void a_uint8(void) {
  uint8_t c = 250;
  do {
    /* mark: c */
    c++;
  } while (left(12));
}
void a_uint16_down(void) {
  uint16_t c = 3;
  do {
    /* mark: c */
    c--;
  } while (left(12));
}
void a_static_byte(void) {
  ticks = 252;
  do {
    /* mark: ticks */
    ticks++;
  } while (left(12));
}
void a_member(struct small *s) {
  s->count = 250;
  for (int k = 0; k < 12; k++) {
    /* mark: k, s->count */
    s->count++;
  }
}
void a_member_only(struct small *s) {
  int *away = 0;
  s->count = 250;
  while (away == 0) {
    /* mark: s->count */
    s->count++;
    if (s->count == 5) break;
  }
}
void a_local_member(void) {
  struct small s;
  s.half = 65530;
  while (s.half != 4) {
    /* mark: s.half */
    s.half++;
  }
}
void a_bit_field(void) {
  struct small s;
  int k = 0;
  s.bits = 0;
  while (k < 20) {
    /* mark: k, s.bits */
    s.bits++;
    k++;
  }
}
void a_bit_field_only(void) {
  struct small s;
  s.bits = 5;
  while (s.bits != 4) {
    /* mark: s.bits */
    s.bits++;
  }
}
void a_flag(void) {
  bool seen = false;
  do {
    /* mark: seen */
    seen++;
  } while (left(6));
}
void a_flag_member(void) {
  struct small s;
  s.flag = false;
  int k = 0;
  do {
    /* mark: s.flag, k */
    s.flag++;
    k++;
  } while (k < 6);
}
void a_below_zero(unsigned n) {
  unsigned i = n;
  do {
    /* mark: i */
    i -= 3;
  } while (left(8));
}
void a_always_at_least_zero(unsigned n) {
  for (unsigned i = n - 1; i >= 0; i--) {
    /* mark: i */
    if (!left(9)) break;
  }
}
void a_size_past_zero(size_t n) {
  size_t i = n;
  while (1) {
    /* mark: i */
    i--;
    if (!left(9)) break;
  }
}
void a_while_below(unsigned n) {
  for (unsigned i = n - 1; i < n; i--) {
    /* mark: i */
    work(0);
  }
}
void a_near_the_top(void) {
  unsigned it = 4294967292u;
  while (left(9)) {
    /* mark: it */
    it++;
  }
}
void a_large_steps(void) {
  unsigned it = 0;
  while (left(9)) {
    /* mark: it */
    it += 0x40000000u;
  }
}
void a_large_bound(unsigned n) {
  for (unsigned i = 0; i < n; i += 0x70000000u) {
    /* mark: i */
    if (!left(9)) break;
  }
}
void a_natural(void) {
  natural i = 2;
  do {
    /* mark: i */
    i -= 1;
  } while (left(8));
}
void a_uint64_top(void) {
  uint64_t i = UINT64_MAX - 4096;
  do {
    /* mark: i */
    i += 2048;
  } while (left(8));
}
void a_step_from_outside(unsigned by) {
  unsigned i = 0;
  do {
    /* mark: i */
    i += by;
  } while (left(8));
}

void a_several_at_once(void) {
  unsigned char c = 0;
  while (c < 250) {
    /* mark: c */
    do {
      c++;
    } while (coin(rank, c) || coin(rank, c + 1) || c % 4);
    if (!left(200)) break;
  }
}
void a_tested_late(unsigned n) {
  do {
    /* mark: n */
    n--;
    if (!left(9)) break;
  } while (n > 0);
}
void a_tested_after_the_step(unsigned n) {
  while (--n > 0) {
    /* mark: n */
    if (!left(9)) break;
  }
}
void a_char_to_127(void) {
  for (signed char c = 120; c <= 127; c++) {
    /* mark: c */
    if (!left(20)) break;
  }
}
void a_by_variable(unsigned n, unsigned by) {
  for (unsigned i = n; i > 0; i -= by) {
    /* mark: i */
    if (!left(9)) break;
  }
}
void a_char_by_variable(int by) {
  for (unsigned char c = 0; c < 250; c += by) {
    /* mark: c */
    if (!left(20)) break;
  }
}

/* Growth that ends. */
void b_tripled(unsigned n) {
  for (unsigned x = 1; x < n; x *= 3) {
    /* mark: x */
    if (!left(24)) break;
  }
}
void b_mask(void) {
  for (unsigned char m = 1; m < 200; m <<= 1) {
    /* mark: m */
    if (!left(12)) break;
  }
}
void b_shifted_out(void) {
  unsigned m = 1;
  while (left(40)) {
    /* mark: m */
    m <<= 1;
  }
}
void b_times_one(int n) {
  int i = 1, k = 0;
  while (k < n) {
    /* mark: k, i */
    i *= 1;
    k++;
  }
}
void b_times(int n, int by) {
  int i = 1, k = 0;
  while (k < n) {
    /* mark: k, i */
    i *= by;
    k++;
  }
}
void b_halved_at_zero(unsigned n) {
  unsigned x = n;
  do {
    /* mark: x */
    x >>= 1;
  } while (left(8));
}
void b_negative_halved(int n) {
  int x = -n;
  while (left(8)) {
    /* mark: x */
    x /= 2;
  }
}
void b_negative_doubled(void) {
  int x = -1;
  while (x > -500) {
    /* mark: x */
    x = x * 2 + 1;
    if (!left(8)) break;
  }
}
void b_double_from_parameter(int x) {
  while (x < 100) {
    /* mark: x */
    x = 2 * x + 1;
    if (!left(8)) break;
  }
}
void b_long_shift(long n) {
  for (long i = 1; i < n; i <<= 20) {
    /* mark: i */
    if (!left(9)) break;
  }
}

/* Rounding. */
void c_float_member(void) {
  struct small s;
  s.sum = 16777214.0f;
  do {
    /* mark: s.sum */
    s.sum += 1.0f;
  } while (left(8));
}
void c_float_member_in_silence(void) {
  struct small s;
  s.sum = 16777214.0f;
  for (int k = 0; k < 8; k++) {
    /* mark: k, s.sum */
    s.sum += 1.0f;
  }
}
void c_real(void) {
  real t = 16777214.0f;
  do {
    /* mark: t */
    t += 1.0f;
  } while (left(8));
}
void c_grows_away(void) {
  double t = 9007199254740990.0;
  for (int k = 0; k < 8; k++) {
    /* mark: k, t */
    t += 0.5;
  }
}
void c_grows_away_alone(void) {
  double t = 9007199254740990.0;
  while (left(8)) {
    /* mark: t */
    t += 1.0;
  }
}
void c_start_unknown(double start) {
  double t = start;
  while (left(8)) {
    /* mark: t */
    t += 0.5;
  }
}
void c_step_unknown(double by) {
  double t = 1.0;
  while (left(8)) {
    /* mark: t */
    t += by;
  }
}
void c_adaptive(void) {
  double t = 0, dt = 0.5;
  while (t < 0.999) {
    /* mark: t, dt */
    t += dt;
    dt *= 0.5;
  }
}
void c_infinite(void) {
  double t = 1e308 * 10;
  while (left(6)) {
    /* mark: t */
    t += 1.0;
  }
}
void c_truncated(int n) {
  int i = 0, k = 0;
  while (k < n) {
    /* mark: k, i */
    i += 0.5;
    k++;
  }
}
void c_truncated_variable(double by) {
  int i = 0;
  while (left(6)) {
    /* mark: i */
    i += by;
  }
}
void c_quarter_in_char(void) {
  float f = 0;
  while (f < 3) {
    /* mark: f */
    f = (float) (char) (f + 0.5f);
    if (!left(6)) break;
  }
}
void c_cut_to_whole(void) {
  double t = 0;
  while (left(6)) {
    /* mark: t */
    t = (int) (t + 0.5);
  }
}
void c_cut_off(void) {
  int i = 250;
  while (left(12)) {
    /* mark: i */
    i = (unsigned char) (i + 1);
  }
}
void c_cut_off_outside(void) {
  int i = 250, t;
  while (left(12)) {
    /* mark: i */
    t = i + 1;
    i = t & 255;
  }
}
void c_through_narrow_temporary(void) {
  int i = 250;
  while (left(12)) {
    /* mark: i */
    unsigned char t = i + 1;
    i = t;
  }
}
void c_through_narrow_global(void) {
  int i = 250;
  while (left(12)) {
    /* mark: i */
    ticks = i + 1;
    i = ticks;
  }
}

/* Other ways to the same memory. */
void d_union(void) {
  union either u;
  u.whole = 1;
  while (left(8)) {
    /* mark: u.whole */
    u.whole++;
    u.part = 0.0f;
  }
}
void d_union_in_silence(void) {
  union either u;
  u.whole = 1;
  for (int k = 0; k < 8; k++) {
    /* mark: k, u.whole */
    u.whole++;
    u.part = 0.0f;
  }
}
void d_two_names(struct node *a, struct node *b) {
  a->step = 0;
  while (left(8)) {
    /* mark: a->step */
    a->step++;
    b->step = 1;
  }
}
void d_moving_base(struct node *s) {
  int k = 0;
  for (int i = 0; i < 6; i++) nodes[i].step = 10 - 3 * i;
  while (k < 4) {
    /* mark: k, s, s->step */
    s->step++;
    s = s->next;
    k++;
  }
}
void d_whole_copied(void) {
  struct node s = {0, 0}, old = s;
  while (left(8)) {
    /* mark: s.step */
    s.step++;
    if (s.step == 3) s = old;
  }
}
void d_through_global_pointer(void) {
  int i = 0;
  where = &i;
  while (left(8)) {
    /* mark: i */
    i++;
    if (i == 4) *where = 1;
  }
}
static void put_back(void) { if (*where == 3) *where = 1; }
void d_through_callee(void) {
  int i = 0;
  where = &i;
  while (left(8)) {
    /* mark: i */
    i++;
    put_back();
  }
}
void d_element(void) {
  int a[4] = {0};
  while (left(8)) {
    /* mark: a[1] */
    a[1]++;
    a[coin(1, a[0]++)] = 0;
  }
}
static int again(int depth) {
  static int i;
  for (i = 0; i < 4; i++) {
    /* mark: i */
    peek();
    if (depth > 0 && i == 2 && coin(rank, depth)) again(depth - 1);
  }
  return i;
}
void d_static_local(void) { again(3); }
static int level;
static void deeper(int depth) {
  for (level = 0; level < 4; level++) {
    /* mark: level */
    peek();
    if (depth > 0 && level == 2) {
      deeper(depth - 1);
      level = 2;
    }
  }
}
void d_recursive_global(void) { deeper(2); }
static void reset(int *p) { *p = 0; }
void d_reset_by_callee(void) {
  int i = 0, k = 0;
  while (k < 9) {
    /* mark: k, i */
    i++;
    if (i == 4) reset(&i);
    k++;
  }
}
static int maybe_next(int i) { return coin(rank, i) ? i + 1 : i; }
void d_maybe_next(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    i = maybe_next(i);
  }
}
static int back_and_forth(int i) { return i == 3 ? 0 : i + 1; }
void d_back_and_forth(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    i = back_and_forth(i);
  }
}
static void maybe_bump(int *p) { if (coin(rank, *p)) *p += 1; }
void d_maybe_bump(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    maybe_bump(&i);
  }
}
static void bump_either(int *p, int *q) { if (work(0) & 1) *p += 1; else *q += 1; }
void d_bump_either(void) {
  int i = 0, j = 0;
  while (left(8)) {
    /* mark: i, j */
    bump_either(&i, &j);
  }
}
static void bump_twice(int *p, int *q) { *p += 1; *q -= 1; }
void d_bump_same_twice(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    bump_twice(&i, &i);
  }
}
static int bump_late(int i) { int old = i; i++; return old; }
void d_bump_copy(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    i = bump_late(i);
  }
}
static int narrow(byte i) { return i + 1; }
void d_narrow_argument(void) {
  int i = 250;
  while (left(12)) {
    /* mark: i */
    i = narrow(i);
  }
}
static byte narrow_result(int i) { return i + 1; }
void d_narrow_result(void) {
  int i = 250;
  while (left(12)) {
    /* mark: i */
    i = narrow_result(i);
  }
}
static int recursive_next(int i) { return coin(rank, i) ? i + 1 : recursive_next(i - 1); }
void d_recursive_next(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    i = recursive_next(i);
  }
}

/* Starts and steps that do not stay. */
void e_start_moves(int first) {
  for (int i = first; i < first + 6; i++) {
    /* mark: i, first */
    peek();
    if (i == first + 2 && left(3)) first += 2;
  }
}
void e_start_reused(int n) {
  int first = rank * 3, i;
  for (i = first; i < n + rank * 3; i++) {
    /* mark: i */
    first = 7;
    work(first);
  }
}
void e_step_moves(int n) {
  int by = 1;
  for (int i = 0; i < n; i += by) {
    /* mark: i, by */
    peek();
    by = coin(rank, i) + 1;
  }
}
void e_step_turns(void) {
  int by = 2;
  for (int i = 0; left(9); i += by) {
    /* mark: i, by */
    by = -by;
  }
}
void e_step_of_zero(int by) {
  for (int i = 0; left(9); i += by) {
    /* mark: i */
    work(i);
  }
}
void e_skips_by_rank(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    peek();
    if (rank == 1) i++;
    i++;
  }
}
void e_inner_by_rank(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    peek();
    for (int k = 0; k <= rank; k++) i++;
  }
}
void e_reset_in_inner(int n) {
  int i, j = 0;
  for (i = 0; i < n; i++) {
    /* mark: i, j */
    peek();
    for (j = 0; j < 3; j++) work(j);
  }
}
void e_carried_by_rank(void) {
  static int kept;
  int i = kept;
  kept = rank;
  /* start: i */
  while (left(5)) {
    /* mark: i */
    i++;
  }
}
void e_goto_in(int n) {
  int i = 0;
  if (rank == 1) {
    i = 2;
    goto middle;
  }
  while (i < n) {
    /* mark: i */
    work(i);
  middle:
    i++;
  }
}
void e_switched(int n) {
  int i = 0;
  while (i < n) {
    /* mark: i */
    peek();
    switch (work(i) & 3) {
    case 0:
      i++;
    case 1:
      i++;
      break;
    default:
      i += 3;
    }
  }
}
void e_sequence_by_received(int n) {
  int by = 1, i = 0, got;
  MPI_Status status;
  while (i < n) {
    /* mark: i, by */
    MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
    if (got > 2) by = 2;
    i += by;
  }
}
void e_reduced_at_root(int n) {
  int first = 0, mine = rank;
  MPI_Reduce(&mine, &first, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void e_scanned(int n) {
  int mine = 1, first = 0;
  MPI_Scan(&mine, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void e_broadcast_overwritten(int n) {
  int first = 0;
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 2) first = 1;
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void e_broadcast_by_some(int n) {
  int first = rank;
  if (rank != 1) MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void e_broadcast_part(int n) {
  int both[2] = {0, rank};
  MPI_Bcast(both, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = both[1]; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void e_clock(void) {
  double t = MPI_Wtime();
  while (left(6)) {
    /* mark: t */
    t += 0.5;
  }
}
static int first_of(int who) { if (who == 0) return 1; return 4; }
void e_start_by_callee(int n) {
  for (int i = first_of(rank); i < n; i++) {
    /* mark: i */
    work(i);
  }
}
static void set_first(int *first) { *first = rank + 1; }
void e_start_through_pointer(int n) {
  int first = 0;
  set_first(&first);
  for (int i = first; i < n; i++) {
    /* mark: i */
    work(i);
  }
}
void e_called_differently(int first) {
  int i = first;
  /* start: i */
  do {
    /* mark: i */
    i++;
  } while (left(4));
}
void e_called_by_some(int first) {
  int i = first;
  /* start: i */
  do {
    /* mark: i */
    i++;
  } while (left(4));
}
static int setting;
void e_global_set_by_some(int n) {
  if (rank == 1) setting = 2;
  for (int i = setting; i < n; i++) {
    /* mark: i */
    work(i);
  }
}

/* Constants that are not what they look like. */
void h_negative_bound(void) {
  for (unsigned i = 0; i < -1; i += 0x70000000u) {
    /* mark: i */
    if (!left(9)) break;
  }
}
void h_negative_bound_tripled(void) {
  for (unsigned i = 1; i < -1; i *= 3) {
    /* mark: i */
    if (!left(30)) break;
  }
}
void h_plus_all_ones(void) {
  int i = 10;
  while (left(8)) {
    /* mark: i */
    i += 4294967295u;
  }
}
void h_plus_hex(void) {
  int i = 10;
  while (left(8)) {
    /* mark: i */
    i = i + 0xffffffff;
  }
}
void h_long_minus_one(void) {
  long i = 10;
  while (left(8)) {
    /* mark: i */
    i += -1u;
  }
}
void h_long_minus(void) {
  long i = 10;
  while (left(8)) {
    /* mark: i */
    i -= -2u;
  }
}
void h_cast_down(void) {
  int i = 10;
  while (left(8)) {
    /* mark: i */
    i += (signed char) 200;
  }
}
void h_cast_up(void) {
  int i = 10;
  while (left(8)) {
    /* mark: i */
    i += (unsigned char) -1;
  }
}
void h_cast_unsigned(void) {
  long i = 10;
  while (left(8)) {
    /* mark: i */
    i += (unsigned) -1;
  }
}
void h_large_factor(void) {
  long i = 1;
  while (left(4)) {
    /* mark: i */
    i *= (unsigned char) 257;
  }
}
void h_cast_factor(void) {
  int i = 1;
  while (left(4)) {
    /* mark: i */
    i *= (signed char) 130;
  }
}
void h_octal(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    i += 010;
  }
}
void h_unsigned_difference(unsigned a) {
  long i = 0;
  while (left(8)) {
    /* mark: i */
    i += 2u - 5u;
  }
}
void h_start_cast(void) {
  int i;
  for (i = (signed char) 200; i < 0 && left(8); i *= 2) {
    /* mark: i */
    peek();
  }
}
void h_start_wraps(void) {
  unsigned i = -5;
  do {
    /* mark: i */
    i += 2;
  } while (left(8));
}
void h_start_wraps_up(void) {
  size_t i = -5;
  do {
    /* mark: i */
    i += 2;
  } while (left(8));
}
void h_start_too_large(void) {
  int i = 4294967200u;
  while (left(8)) {
    /* mark: i */
    i *= 2;
  }
}
void h_float_absorbed_by_cast(void) {
  double t = 0;
  while (left(8)) {
    /* mark: t */
    t += (int) 0.5;
  }
}
void h_pointer_to_zero_size(void) {
  char *p = (char *) marks;
  while (left(8)) {
    /* mark: p */
    p += (signed char) 255;
  }
}

void h_unsigned_variable(void) {
  unsigned by = -1;
  int i = 10;
  while (left(8)) {
    /* mark: i */
    i += by;
  }
}
void h_minus_unsigned_variable(unsigned by) {
  long i = 10;
  while (left(8)) {
    /* mark: i */
    i += -by;
  }
}
void h_cast_variable(void) {
  double t = 0, by = 0.5;
  while (left(8)) {
    /* mark: t */
    t += (int) by;
  }
}
void h_unsigned_into_signed(void) {
  unsigned first = 5 * rank - 6;
  for (int i = first; left(8); i++) {
    /* mark: i */
    work(i);
  }
}
void h_unsigned_into_long(void) {
  unsigned first = 5 * rank - 6;
  for (long i = (int) first; left(8); i++) {
    /* mark: i */
    peek();
  }
}

/* Callees and starts that are followed too far. */
static void add_some(int *p) { for (int k = 0; k < coin(rank, *p); k++) ++*p; }
void f_loop_in_callee(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    add_some(&i);
  }
}
static void add_unless(int *p) { if (*p == 3) return; ++*p; }
void f_early_return(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    add_unless(&i);
  }
}
static void add_down(int *p, int depth) { if (depth > 0) add_down(p, depth - 1); *p += 1; }
void f_recursive_callee(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    add_down(&i, work(i) & 3);
  }
}
static void add_byte(unsigned char *p) { *p += 1; }
void f_byte_by_pointer(void) {
  unsigned char c = 250;
  while (left(12)) {
    /* mark: c */
    add_byte(&c);
  }
}
void f_int_as_byte(void) {
  int i = 250;
  while (left(12)) {
    /* mark: i */
    add_byte((unsigned char *) &i);
  }
}
static void add_amount(int *p, int by) { *p += by; }
void f_amount_turns(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    add_amount(&i, coin(rank, i) ? 1 : -1);
  }
}
void f_amount_itself(void) {
  int i = 1;
  while (left(8)) {
    /* mark: i */
    add_amount(&i, -i);
  }
}
static void add_later(int *p) { int *q = p; q = &marks[3]; *q += 1; }
void f_pointer_moved(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    add_later(&i);
  }
}
static void add_next(int *p) { p++; *p += 1; }
void f_next_element(void) {
  int i[2] = {0, 0};
  while (left(8)) {
    /* mark: i[0] */
    add_next(i);
  }
}
static void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }
void f_swapped(void) {
  int i = 0, j = 5;
  while (left(8)) {
    /* mark: i, j */
    add_amount(&i, 1);
    swap(&i, &j);
  }
}
static int *chosen(int *p, int *q) { return coin(rank, *p) ? p : q; }
void f_chosen(void) {
  int i = 0, j = 0;
  while (left(8)) {
    /* mark: i, j */
    add_amount(chosen(&i, &j), 1);
  }
}
static int counted;
static void count_one(void) { counted++; }
static void count_back(void) { counted = 0; }
static void (*handler)(void) = count_one;
void f_through_function_pointer(void) {
  counted = 0;
  while (left(8)) {
    /* mark: counted */
    handler();
    if (counted == 3) handler = count_back;
    else handler = count_one;
  }
}
static int successor(int i) { counted = i; return counted + 1; }
static int reset_at(int i) { return i >= 4 ? i - 4 : i + 1; }
static int through_static(int i) { static int kept; int old = kept; kept = i; return old + 1; }
void f_returned_static(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    i = through_static(i);
  }
}
void f_returned_reset(void) {
  int i = 0;
  while (left(9)) {
    /* mark: i */
    i = reset_at(i);
  }
}
void f_returned_of_other(void) {
  int i = 0, j = 3;
  while (left(8)) {
    /* mark: i, j */
    i = successor(j);
    j = reset_at(j);
  }
}
void f_two_paths_of_calls(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    if (coin(rank, i)) add_amount(&i, 1);
    else add_amount(&i, 2);
  }
}
void f_called_now_and_then(void) {
  int i = 0;
  while (left(8)) {
    /* mark: i */
    if (coin(rank, i)) add_amount(&i, 1);
  }
}
void g_chunk_changes(int n) {
  int chunk = 3 + rank, i;
  for (i = rank * chunk; left(6); i++) {
    /* mark: i, chunk */
    chunk = 5;
    work(n);
  }
}
void g_chunk_changes_before(int n) {
  int chunk = 3 + rank, first = rank * chunk;
  chunk += 2;
  for (int i = first; left(6); i++) {
    /* mark: i */
    work(n + chunk);
  }
}
void g_start_shadowed(int n) {
  int first = rank * 2;
  for (int i = first; left(6); i++) {
    int first = 100;
    /* mark: i */
    work(first + n);
  }
}
void g_divided_start(int n) {
  int first = (n - 3 * rank) / 2;
  for (int i = first; left(6); i++) {
    /* mark: i */
    work(n);
  }
}
void g_unsigned_start(unsigned n) {
  unsigned first = rank - n;
  for (unsigned i = first; left(6); i++) {
    /* mark: i */
    work(1);
  }
}
void g_narrow_start(int n) {
  unsigned char first = 100 * rank + n;
  for (int i = first; i < 1000 && left(6); i++) {
    /* mark: i */
    work(n);
  }
}
void g_float_start(int n) {
  int first = rank * 0.75 * n;
  for (int i = first; left(6); i++) {
    /* mark: i */
    work(n);
  }
}
void g_narrow_copy(int n) {
  unsigned char i;
  for (i = rank * 100 + n; left(6) && i < 240; i++) {
    /* mark: i */
    work(n);
  }
}
void g_start_from_member(struct node *s) {
  s->step = rank * 3;
  for (int i = s->step; left(6); i++) {
    /* mark: i */
    s->step = 1;
  }
}
void g_start_from_element(void) {
  marks[2] = rank * 3;
  for (int i = marks[2]; left(6); i++) {
    /* mark: i */
    marks[2] = work(1);
  }
}
static int place;
static void set_place(int to) { place = to; }
void g_start_from_global(void) {
  place = rank + 4;
  for (int i = place; left(6); i++) {
    /* mark: i */
    set_place(9);
  }
}
void g_rank_in_group(int n) {
  int mine;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  int column = mine % 2, row = mine / 2;
  for (int i = column; i < n; i += 2) {
    /* mark: i */
    work(row);
  }
}
void g_reduced_in_part(int n) {
  int mine = rank, group = rank % 2, most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, group);
  for (int i = most; i < n; i++) {
    /* mark: i */
    work(group);
  }
}

/* What is added has a type that does not fit: of globals, members, and types whose names say nothing. */
double fraction = 0.5;
long wide = 4294967296;
unsigned int unsigned_one = 1;
struct amounts { double half; long wide; unsigned int one; short little; } amounts = {0.5, 4294967296, 1, 1};
void i_global_fraction(void) {
  int i = 3;
  do {
    /* mark: i */
    i = i - fraction;
  } while (left(12));
}
void i_member_fraction(void) {
  int i = 3;
  do {
    /* mark: i */
    i -= amounts.half;
  } while (left(12));
}
void i_member_fraction_behind_pointer(struct amounts *by) {
  int i = -3;
  do {
    /* mark: i */
    i += by->half;
  } while (left(12));
}
void i_global_wide(void) {
  int i = 0;
  do {
    /* mark: i */
    i += wide;
  } while (left(12));
}
void i_member_wide(void) {
  unsigned int i = 0;
  do {
    /* mark: i */
    i += amounts.wide;
  } while (left(12));
}
void i_sum_with_wide(void) {
  int i = 0;
  do {
    /* mark: i */
    i += wide + 0;
  } while (left(12));
}
void i_minus_unsigned_global(void) {
  long i = 90;
  do {
    /* mark: i */
    i += -unsigned_one;
  } while (left(12));
}
void i_minus_unsigned_member(void) {
  long i = 90;
  do {
    /* mark: i */
    i += -amounts.one;
  } while (left(12));
}
void i_minus_of_fraction(void) {
  int i = 3;
  do {
    /* mark: i */
    i = -(fraction - i);
  } while (left(12));
}
void i_little_member(void) {
  int i = 3;
  do {
    /* mark: i */
    i = -(-i - amounts.little);
  } while (left(12));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  nodes[0].next = &nodes[3], nodes[3].next = &nodes[1], nodes[1].next = &nodes[5], nodes[5].next = &nodes[2];
  a_unsigned_char();
  a_signed_char();
  a_byte();
  a_uint8();
  a_uint16_down();
  a_static_byte();
  a_member(&state);
  a_member_only(&state);
  a_local_member();
  a_bit_field();
  a_bit_field_only();
  a_flag();
  a_flag_member();
  a_below_zero(10);
  a_always_at_least_zero(5);
  a_size_past_zero(4);
  a_while_below(6);
  a_near_the_top();
  a_large_steps();
  a_large_bound(4000000000u);
  a_natural();
  a_uint64_top();
  a_step_from_outside(0x70000000u);
  a_several_at_once();
  a_tested_late(0);
  a_tested_after_the_step(0);
  a_char_to_127();
  a_by_variable(5, 3);
  a_char_by_variable(60);
  b_tripled(4000000000u);
  b_mask();
  b_shifted_out();
  b_times_one(5);
  b_times(5, rank);
  b_halved_at_zero(20);
  b_negative_halved(20);
  b_negative_doubled();
  b_double_from_parameter(-2);
  b_long_shift(1L << 50);
  c_float_member();
  c_float_member_in_silence();
  c_real();
  c_grows_away();
  c_grows_away_alone();
  c_start_unknown(9007199254740992.0);
  c_step_unknown(1e-20);
  c_adaptive();
  c_infinite();
  c_truncated(6);
  c_truncated_variable(0.25);
  c_quarter_in_char();
  c_cut_to_whole();
  c_cut_off();
  c_cut_off_outside();
  c_through_narrow_temporary();
  c_through_narrow_global();
  d_union();
  d_union_in_silence();
  d_two_names(&nodes[0], &nodes[0]);
  d_moving_base(&nodes[0]);
  d_whole_copied();
  d_through_global_pointer();
  d_through_callee();
  d_element();
  d_static_local();
  d_recursive_global();
  d_reset_by_callee();
  d_maybe_next();
  d_back_and_forth();
  d_maybe_bump();
  d_bump_either();
  d_bump_same_twice();
  d_bump_copy();
  d_narrow_argument();
  d_narrow_result();
  d_recursive_next();
  e_start_moves(rank);
  e_start_reused(6);
  e_step_moves(12);
  e_step_turns();
  e_step_of_zero(0);
  e_skips_by_rank(8);
  e_inner_by_rank(8);
  e_reset_in_inner(5);
  e_carried_by_rank();
  e_carried_by_rank();
  e_goto_in(6);
  e_switched(12);
  e_sequence_by_received(10);
  e_reduced_at_root(9);
  e_scanned(9);
  e_broadcast_overwritten(9);
  e_broadcast_by_some(9);
  e_broadcast_part(9);
  e_clock();
  e_start_by_callee(9);
  e_start_through_pointer(9);
  e_called_differently(1);
  e_called_differently(rank);
  e_called_by_some(3);
  if (rank == 1) e_called_by_some(7);
  e_global_set_by_some(6);
  f_loop_in_callee();
  f_early_return();
  f_recursive_callee();
  f_byte_by_pointer();
  f_int_as_byte();
  f_amount_turns();
  f_amount_itself();
  f_pointer_moved();
  f_next_element();
  f_swapped();
  f_chosen();
  f_through_function_pointer();
  f_returned_static();
  f_returned_reset();
  f_returned_of_other();
  f_two_paths_of_calls();
  f_called_now_and_then();
  g_chunk_changes(9);
  g_chunk_changes_before(9);
  g_start_shadowed(9);
  g_divided_start(9);
  g_unsigned_start(9);
  g_narrow_start(9);
  g_float_start(9);
  g_narrow_copy(9);
  g_start_from_member(&nodes[0]);
  g_start_from_element();
  g_start_from_global();
  g_rank_in_group(9);
  g_reduced_in_part(9);
  h_negative_bound();
  h_negative_bound_tripled();
  h_plus_all_ones();
  h_plus_hex();
  h_long_minus_one();
  h_long_minus();
  h_cast_down();
  h_cast_up();
  h_cast_unsigned();
  h_large_factor();
  h_cast_factor();
  h_octal();
  h_unsigned_difference(9);
  h_start_cast();
  h_start_wraps();
  h_start_wraps_up();
  h_start_too_large();
  h_float_absorbed_by_cast();
  h_pointer_to_zero_size();
  h_unsigned_variable();
  h_minus_unsigned_variable(9);
  h_cast_variable();
  h_unsigned_into_signed();
  h_unsigned_into_long();
  i_global_fraction();
  i_member_fraction();
  i_member_fraction_behind_pointer(&amounts);
  i_global_wide();
  i_member_wide();
  i_sum_with_wide();
  i_minus_unsigned_global();
  i_minus_unsigned_member();
  i_minus_of_fraction();
  i_little_member();
  MPI_Finalize();
  return 0;
}
