// Counters in objects that are handed on, by reference, by pointer and as the object of a member function, and stepped by those who get
// them. Arguments: the case, nothing, and the visit of MPI_Visit() that never ends.
#include "sim.h"
#include <cstdlib>

#define ITERATIONS 40
#define NOINLINE __attribute__((noinline))

// The step is made between two visits.
static inline void advance(Sim &s)
{
    MPI_Visit();
    ++s.i;
    MPI_Visit();
}

static inline void node(Sim &s, int n)
{
    s.x += 1;
    exchange(s, n);
}

static inline void leap(Sim &s, int n) { node(s, n); }

NOINLINE double by_reference(int n)
{
    Sim *s = new Sim;

    exchange(*s, 0);
    s->i = 0;
    while (s->i < ITERATIONS) {
        advance(*s);
        leap(*s, n);
    }
    double out = s->x;
    delete s;
    return out;
}

static inline void advance_by_pointer(Sim *s)
{
    MPI_Visit();
    s->i++;
    MPI_Visit();
}

static inline void leap_by_pointer(Sim *s, int n)
{
    s->x += 1;
    exchange_by_pointer(s, n);
}

NOINLINE double by_pointer(int n)
{
    Sim *s = new Sim;

    exchange_by_pointer(s, 0);
    s->i = 0;
    while (s->i < ITERATIONS) {
        advance_by_pointer(s);
        leap_by_pointer(s, n);
    }
    double out = s->x;
    delete s;
    return out;
}

void Sim::march()
{
    MPI_Visit();
    i += 1;
    MPI_Visit();
}

void Sim::hop(int n)
{
    x += 1;
    exchange(*this, n);
}

NOINLINE double by_method(int n)
{
    Sim *s = new Sim;

    exchange(*s, 0);
    s->i = 0;
    while (s->i < ITERATIONS) {
        s->march();
        s->hop(n);
    }
    double out = s->x;
    delete s;
    return out;
}

// The step is made two calls deeper.
static inline void step_within(Sim &s)
{
    MPI_Visit();
    s.i++;
    s.x += 1;
}

static NOINLINE void advance_within(Sim &s, int n)
{
    step_within(s);
    exchange(s, n);
    MPI_Visit();
}

NOINLINE double within(int n)
{
    Sim *s = new Sim;

    exchange(*s, 0);
    s->i = 0;
    while (s->i < ITERATIONS)
        advance_within(*s, n);
    double out = s->x;
    delete s;
    return out;
}

// The callees know a part of the object, which begins elsewhere.
struct Head {
    double head[3] = {};
};

struct Part {
    int i = 0;
    double y = 0;
};

struct Whole : Head, Part {
    double z = 0;
};

static inline void advance_part(Part &p)
{
    MPI_Visit();
    p.i++;
    MPI_Visit();
}

static NOINLINE void look_at_part(Part &p, int n)
{
    p.y += n;
    MPI_Visit();
}

NOINLINE double by_part(int n)
{
    Whole *s = new Whole;

    MPI_Learn(s);
    s->i = 0;
    while (s->i < ITERATIONS) {
        advance_part(*s);
        look_at_part(*s, n);
    }
    double out = s->y;
    delete s;
    return out;
}

// MPI is told nothing.
static inline void leap_alone(Sim &s, int n)
{
    s.table[n] += n;
    MPI_Visit();
}

NOINLINE double untold(int n)
{
    Sim *s = new Sim;

    s->i = 0;
    while (s->i < ITERATIONS) {
        advance(*s);
        leap_alone(*s, n);
    }
    double out = s->table[n];
    delete s;
    return out;
}

// Two places step, one on each way.
static inline void advance_either(Sim &s, int n)
{
    if (n > 100) {
        s.i++;
        MPI_Visit();
        return;
    }
    MPI_Visit();
    s.i++;
    MPI_Visit();
}

NOINLINE double either(int n)
{
    Sim *s = new Sim;

    exchange(*s, 0);
    s->i = 0;
    while (s->i < ITERATIONS) {
        advance_either(*s, n);
        leap(*s, n);
    }
    double out = s->x;
    delete s;
    return out;
}

// Calls that keep their own code.
static NOINLINE void advance_called(Sim &s)
{
    MPI_Visit();
    ++s.i;
    MPI_Visit();
}

static NOINLINE void leap_called(Sim &s, int n)
{
    node(s, n);
    s.x += 2;
}

NOINLINE double called(int n)
{
    Sim *s = new Sim;

    exchange(*s, 0);
    s->i = 0;
    while (s->i < ITERATIONS) {
        advance_called(*s);
        leap_called(*s, n);
    }
    double out = s->x;
    delete s;
    return out;
}

// Another object goes the same way.
NOINLINE double of_two(int n)
{
    Sim *s = new Sim, *other = new Sim;

    exchange(*s, 0);
    exchange(*other, 0);
    s->i = 0;
    while (s->i < ITERATIONS) {
        advance(*s);
        leap(*other, n);
    }
    double out = s->x + other->x;
    delete s;
    delete other;
    return out;
}

// The pointer moves on.
NOINLINE double of_another(int n)
{
    Sim *s = new Sim, *other = new Sim;

    exchange(*s, 0);
    exchange(*other, 0);
    s->i = 0;
    while (s->i < ITERATIONS) {
        if (n > 100)
            s = other;
        advance(*s);
        leap(*s, n);
    }
    double out = s->x;
    delete other;
    return out;
}

int main(int argc, char **argv)
{
    int way = argc > 1 ? std::atoi(argv[1]) : 0;
    double result = 0;

    last_visit = argc > 3 ? std::atoi(argv[3]) : 0;
    switch (way) {
    case 0: result = by_reference(argc); break;
    case 1: result = by_pointer(argc); break;
    case 2: result = by_method(argc); break;
    case 3: result = within(argc); break;
    case 4: result = by_part(argc); break;
    case 5: result = untold(argc); break;
    case 6: result = either(argc); break;
    case 7: result = called(argc); break;
    case 8: result = of_two(argc); break;
    case 9: result = of_another(argc); break;
    }
    return result == 12345;
}
