/* Loops that count in a member of a structure, or in a global, that other functions set and step: programs hand their state to
 * functions. Some tell the iteration, some only look so. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct inner { int count; };
struct state { int rank, step, end; double time; double values[4]; struct inner in; struct inner *way; };

extern int work(int value);
extern int coin(int who, int round);
extern int left(int rounds);

static int rank, ticks, limit, chance;
static struct state whole, spare;
static struct state *current = &whole;
static struct inner one, other;
static struct state *aside;

static void init(struct state *s, int end) {
  s->rank = rank;
  s->step = 0;
  s->end = end;
  for (int k = 0; k < 4; k++) s->values[k] = rank;
  s->in.count = 1;
  s->way = &one;
}
static void init_by_callee(struct state *s, int end) { work(rank); init(s, end); s->time = 0.5; }
static void init_given(struct state *s, int start) { s->step = start; }
static void init_on_some_paths(struct state *s) { if (coin(rank, 1)) return; s->step = 3; }
static void init_either(struct state *s) { if (coin(rank, 2)) s->step = 4; else s->step = 7; }
static void init_moved(struct state *s) { s++; s->step = 0; }
static void init_aside(struct state *s) { s->step = 0; aside->step = rank; }
static void init_two(struct state *s, struct state *t) { s->step = 0; t->step = rank; }
static void init_then_copy(struct state *s) { s->step = 0; *s = spare; }
static void init_then_bytes(struct state *s) { s->step = 0; memcpy(s, &spare, sizeof *s); }
static void init_then_step(struct state *s) { s->step = 0; if (coin(rank, 3)) s->step++; }
static void init_inner(struct inner *in) { in->count = 0; }
static void init_inner_of(struct state *s) { init_inner(&s->in); }
static void init_global(void) { ticks = 0; limit = 6; }
static void init_global_of_rank(void) { ticks = rank; limit = 6 + rank; }

static void advance(struct state *s) { s->time += 0.5; s->step++; }
static void advance_twice(struct state *s) { advance(s); work(s->step); s->step = s->step + 1; }
static void advance_inner(struct state *s) { s->in.count += 1; }
static void advance_sometimes(struct state *s) { if (coin(rank, s->step)) s->step++; else s->time += 1.0; }
static void advance_aside(struct state *s) { s->step++; aside->step += coin(rank, aside->step); }
static void advance_both(struct state *s, struct state *t) { s->step++; if (coin(rank, s->step)) t->step--; }
static void advance_moved(struct state *s) { s = aside; s->step++; }
static void advance_and_copy(struct state *s) { s->step++; if (s->step == 3 + rank) *s = spare; }
static void advance_through(struct state *s) { s->way->count++; }
static void advance_and_turn(struct state *s) { s->way->count++; if (coin(rank, s->end)) s->way = s->way == &one ? &other : &one; }
static void advance_itself(struct state *s, int depth) { if (depth) advance_itself(s, depth - 1); s->step++; }
static void advance_by_rank(struct state *s) { s->step += 1 + rank; }
static void turn(void) { current = current == &whole ? &spare : &whole; }
static void turn_inner(struct state *s) { s->way = s->way == &one ? &other : &one; }

/* Set by functions that are called before. */
void s_object(int n) {
  struct state s;
  init(&s, n);
  while (s.step < s.end) {
    /* mark: s.step */
    work(s.step);
    s.step++;
  }
}
void s_pointer(int n) {
  struct state *s = malloc(sizeof *s);
  init(s, n);
  while (s->step < s->end) {
    /* mark: s->step */
    work(s->step);
    s->step++;
  }
  free(s);
}
void s_global(int n) {
  init(&whole, n);
  for (; whole.step < whole.end; whole.step++) {
    /* mark: whole.step */
    work(whole.step);
  }
}
void s_by_callee(int n) {
  struct state s;
  init_by_callee(&s, n);
  while (s.step < s.end) {
    /* mark: s.step */
    s.step++;
  }
}
void s_given(int n) {
  struct state s;
  init_given(&s, n);
  while (s.step > 0) {
    /* mark: s.step */
    s.step--;
  }
}
void s_given_rank(void) {
  struct state s;
  init_given(&s, rank);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_some_paths(void) {
  struct state s;
  s.step = 0;
  init_on_some_paths(&s);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_either(void) {
  struct state s;
  init_either(&s);
  while (s.step < 12) {
    /* mark: s.step */
    s.step++;
  }
}
void s_moved(void) {
  struct state s[2];
  struct state *p = s;
  s[0].step = rank;
  init_moved(p);
  while (p->step < 9) {
    /* mark: p->step */
    p->step++;
  }
}
void s_aside(void) {
  struct state s;
  aside = &s;
  init_aside(&s);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_two(void) {
  struct state s;
  init_two(&s, &s);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_two_names(void) {
  struct state s;
  struct state *t = &s;
  init_two(&s, t);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_copied(void) {
  struct state s;
  spare.step = rank;
  init_then_copy(&s);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_bytes(void) {
  struct state s;
  spare.step = rank;
  init_then_bytes(&s);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_then_step(void) {
  struct state s;
  init_then_step(&s);
  while (s.step < 9) {
    /* mark: s.step */
    s.step++;
  }
}
void s_inner(int n) {
  struct state s;
  init_inner_of(&s);
  while (s.in.count < n) {
    /* mark: s.in.count */
    s.in.count++;
  }
}
void s_variable(void) {
  init_global();
  while (ticks < limit) {
    /* mark: ticks */
    ticks++;
  }
}
void s_variable_of_rank(void) {
  init_global_of_rank();
  while (ticks < limit) {
    /* mark: ticks */
    ticks++;
  }
}
void s_set_by_rank_only(int n) {
  struct state s;
  s.step = rank;
  if (rank == 1) init(&s, n);
  while (s.step < n) {
    /* mark: s.step */
    s.step++;
  }
}

/* Stepped by functions that are called. */
void a_object(int n) {
  struct state s;
  init(&s, n);
  while (s.step < s.end) {
    /* mark: s.step */
    advance(&s);
  }
}
void a_pointer(struct state *s, int n) {
  s->step = 0;
  while (s->step < n) {
    /* mark: s->step */
    work(s->step);
    advance(s);
  }
}
void a_global(int n) {
  whole.step = 0;
  while (whole.step < n) {
    /* mark: whole.step */
    advance(&whole);
    work(whole.step);
  }
}
void a_twice(int n) {
  struct state s;
  init(&s, n);
  while (s.step < n) {
    /* mark: s.step */
    advance_twice(&s);
  }
}
void a_inner(int n) {
  struct state s;
  init(&s, n);
  while (s.in.count < n) {
    /* mark: s.in.count */
    advance_inner(&s);
  }
}
void a_sometimes(int n) {
  struct state s;
  init(&s, n);
  while (s.step < n) {
    /* mark: s.step */
    advance_sometimes(&s);
    if (!left(40)) break;
  }
}
void a_aside(int n) {
  struct state s;
  init(&s, n);
  aside = &s;
  while (s.step < n) {
    /* mark: s.step */
    advance_aside(&s);
  }
}
void a_both(int n) {
  struct state s;
  init(&s, n);
  while (s.step < n) {
    /* mark: s.step */
    advance_both(&s, &s);
    if (!left(40)) break;
  }
}
void a_both_names(int n) {
  struct state s;
  struct state *t = &s;
  init(&s, n);
  while (s.step < n) {
    /* mark: s.step */
    advance_both(&s, t);
    if (!left(40)) break;
  }
}
void a_moved(int n) {
  struct state s, t;
  init(&s, n);
  init(&t, n);
  aside = coin(rank, 5) ? &s : &t;
  while (s.step < n) {
    /* mark: s.step */
    advance_moved(&s);
    if (!left(12)) break;
  }
}
void a_copied(int n) {
  struct state s;
  init(&s, n);
  spare.step = 5;
  while (s.step < n) {
    /* mark: s.step */
    advance_and_copy(&s);
  }
}
void a_through(int n) {
  struct state s;
  init(&s, n);
  s.way->count = 0;
  while (s.way->count < n) {
    /* mark: s.way->count */
    advance_through(&s);
  }
}
void a_turned(int n) {
  struct state s;
  init(&s, n);
  one.count = other.count = 0;
  while (s.way->count < n) {
    /* mark: s.way->count */
    advance_and_turn(&s);
  }
}
void a_itself(int n) {
  struct state s;
  init(&s, n);
  while (s.step < n) {
    /* mark: s.step */
    advance_itself(&s, coin(rank, s.step));
  }
}
void a_by_rank(int n) {
  struct state s;
  init(&s, n);
  while (s.step < n) {
    /* mark: s.step */
    advance_by_rank(&s);
  }
}
void a_by_two(int n) {
  struct state s, t;
  init(&s, n);
  init(&t, n);
  while (s.step < n) {
    /* mark: s.step */
    advance(&s);
    if (coin(rank, s.step)) advance(&t);
  }
}
void a_one_or_other(int n) {
  struct state s, t;
  init(&s, n);
  init(&t, n);
  while (s.step < n && t.step < n) {
    /* mark: s.step */
    advance(coin(rank, s.step + t.step) ? &s : &t);
  }
}

/* The way to the member changes. */
void w_global(int n) {
  init(&whole, n);
  init(&spare, n);
  current = &whole;
  while (current->step < n) {
    /* mark: current->step */
    current->step++;
    if (coin(rank, current->step)) turn();
  }
}
void w_inner(int n) {
  struct state s;
  init(&s, n);
  one.count = 0;
  other.count = 0;
  while (s.way->count < n) {
    /* mark: s.way->count */
    s.way->count++;
    if (coin(rank, s.way->count)) turn_inner(&s);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  s_object(6);
  s_pointer(6);
  s_global(6);
  s_by_callee(6);
  s_given(6);
  s_given_rank();
  s_some_paths();
  s_either();
  s_moved();
  s_aside();
  s_two();
  s_two_names();
  s_copied();
  s_bytes();
  s_then_step();
  s_inner(6);
  s_variable();
  s_variable_of_rank();
  s_set_by_rank_only(6);
  a_object(6);
  a_pointer(&whole, 6);
  a_global(6);
  a_twice(8);
  a_inner(7);
  a_sometimes(6);
  a_aside(6);
  a_both(6);
  a_both_names(6);
  a_moved(6);
  a_copied(8);
  a_through(6);
  a_turned(6);
  a_itself(9);
  a_by_rank(12);
  a_by_two(6);
  a_one_or_other(6);
  w_global(6);
  w_inner(6);
  chance = 1;
  MPI_Finalize();
  return 0;
}
