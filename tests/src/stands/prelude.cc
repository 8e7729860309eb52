// What every generated program begins with: the calls of 'stand' are counted, and the program stays in the one that its argument names. Nothing
// tells the optimiser what 'hide' returns.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <unistd.h>

static unsigned long calls, last;
static int total, step;

static inline void count() {
    if (++calls == last) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
    if (calls > 100000)
        exit(3);
    __asm__ volatile("" ::: "memory");
}

#if STANDS_IN_MPI
// That a call has effects is known of those that lead to MPI.
extern "C" __attribute__((noinline)) void MPI_Stand() { count(); }

__attribute__((noinline)) static void stand() {
    MPI_Stand();
    __asm__ volatile("");
}
#else
__attribute__((noinline)) static void stand() { count(); }
#endif

__attribute__((noinline)) static int hide(int x) {
    __asm__ volatile("" : "+r"(x));
    return x;
}

static int tick(int x) {
    stand();
    return x;
}

static int both(int a, int b) {
    stand();
    return a - b;
}

struct Guard {
    int number;
    explicit Guard(int n) : number(n) { stand(); }
    ~Guard() { stand(); }
};

struct Twice {
    Guard inner;
    int number;
    explicit Twice(int n) : inner(n), number(tick(n)) {}
    ~Twice() {
        stand();
        stand();
    }
};

struct Pair {
    int a, b;
};

struct Counter {
    int value;
    void advance() { value++; }
};

struct Chain {
    int value;
    explicit Chain(int n) : value(n) { stand(); }
    Chain &then(int n) {
        stand();
        value += n;
        return *this;
    }
    ~Chain() { stand(); }
};

struct Base {
    virtual int run(int a) {
        stand();
        return a;
    }
    virtual ~Base() = default;
};

template <typename F> static void each(std::initializer_list<int> all, F f) {
    for (int one : all)
        f(one);
}

