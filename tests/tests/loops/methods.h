/* Classes whose objects count in a member. */
#include <mpi.h>
#include <cstdlib>
#include <cstring>
extern "C" {
extern int work(int value);
extern void peek(void);
extern int coin(int who, int round);
extern int left(int rounds);
}

static int rank, spare;

struct Clock {
  int step;
  int end;
  Clock *other;
  Clock() : step(0), end(9), other(this) {}
  explicit Clock(int first) : step(first), end(9) { other = this; }
  void init() { step = 0; end = 9; }
  void init_at(int first) { this->step = first; }
  void init_twice() { init(); work(1); init(); }
  void init_other() { other->step = 0; }
  void init_sometimes() { if (coin(rank, 1)) step = 5; }
  void tick() { step++; }
  void tick_through() { tick(); }
  void tick_this() { this->step += 1; }
  void tick_sometimes() { if (coin(rank, step)) step++; }
  void tick_other() { other->step++; }
  void tick_it(Clock &it) { it.step++; }
  void tick_both(Clock &it) { step++; it.step -= 2; }
  void tick_by(Clock it) { it.step++; }
  void turn(Clock *to) { other = to; }
  void assign(const Clock &from) { *this = from; }
  int now() const { return step; }
  virtual void tick_virtually() { step++; }
  virtual ~Clock() {}
};
struct Late : Clock {
  Late() : Clock(3) {}
  void tick_base() { Clock::tick(); }
  void tick_virtually() override { step--; }
};
/* The members of one name are two. */
struct Above {
  int lap;
  void go() { lap++; }
  void zero() { lap = 0; }
};
struct Below : Above {
  int lap;
  Below() : lap(3) {}
};
struct Plain { int at; };
struct Of { Plain plain; Clock clock; Of() { plain.at = 0; } void forward() { plain.at++; } void next_clock() { clock.tick(); } };
struct Run {
  int it, most;
  Run() { it = rank; most = 6; }
  void begin() { it = 0; }
  void next() { ++it; }
  void restart() { it = rank; }
};
static Clock shared, another;
static void tick_of(Clock &c) { c.tick(); }
static void tick_of_pointer(Clock *c) { c->tick(); }
static void init_of(Clock &c) { c.init(); }
static void tick_another(Clock &) { another.tick(); }
static Clock &some() { return coin(rank, 3) ? shared : another; }
