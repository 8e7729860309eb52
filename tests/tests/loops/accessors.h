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

#include <new>
#include <utility>
struct Domain {
  Domain(int first = 0) : m_cycle(first), m_time(0), m_next(this) {}
  int &cycle() { return m_cycle; }
  const int &cycle() const { return m_cycle; }
  double &time() { return this->m_time; }
  Domain *&next() { return m_next; }
  void advance() { ++cycle(); }
  void advance_this() { this->cycle() += 1; }
  void advance_qualified() { Domain::cycle() += 1; }
  void advance_sometimes() { if (coin(rank, cycle())) cycle()++; }
  void advance_in_lambda() { auto step = [this] { cycle()++; }; step(); }
  void reset() { cycle() = 0; }
  void start() { cycle() = rank; }
  int m_cycle;
  double m_time;
  Domain *m_next;
};
/* No accessor: it does more. */
struct Raised { int count; Raised() : count(0) {} int &raised() { count++; return count; } };
/* Hides what it inherits by another member of the name, which the accessor does not give. */
struct Above { int lap; Above() : lap(0) {} int &laps() { return lap; } };
struct Below : Above { int lap; Below() : lap(rank) {} };
struct Holder { Domain domain; Domain *other; Holder() : other(&domain) {} Domain &inside() { return domain; } };
/* Has a member by the name of another class's accessor. */
struct Limits { int cycle, time; };
static Domain shared, another;
static void bump(Domain &d) { ++d.cycle(); }
static void bump_pointer(Domain *d) { d->cycle()++; }
static void twice(Domain &d) { d.cycle() = d.cycle() + 2; }
static void raise(int &x) { x += 3; }
static void look(const int &x) { work(x); }
static void lose(int &x) { x = rank; }
static void renew(Domain &d) { d = Domain(rank); }
static void remake(Domain *d) { new (d) Domain(rank); }
static Domain &some() { return coin(rank, 3) ? shared : another; }
