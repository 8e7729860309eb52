/* What the fuzzers' programs are made of: loops whose variables live in memory, registers and constants, calls that
   are inlined and calls that are not, and no library. */

struct state {
    int step;
    struct state *next;
    double norm;
};

struct state first;
static long total;

static inline int square(int value) {
    int result = 0;
    for (int i = 0; i < value; i++) result += value;
    return result;
}

__attribute__((noinline)) static long sweep(struct state *state, long n) {
    long sum = 0;
    for (long i = 0; i < n; i += 2) {
        state->step = square((int)i) + state->step;
        sum += state->step;
        if (sum > 1000) break;
    }
    return sum;
}

__attribute__((noinline)) static int descend(struct state *state, int depth) {
    volatile char room[64];
    room[0] = (char)depth;
    if (depth == 0) return (int)sweep(state, 40);
    do {
        total += descend(state, depth - 1);
        depth--;
    } while (depth > 0);
    return room[0];
}

void _start(void) {
    struct state *state = &first;
    for (int it = 0; it < 10; it++) {
        state->norm += 0.5;
        switch (descend(state, it & 3)) {
        case 1: total++; break;
        case 2: continue;
        default: state->step = it;
        }
    }
    for (;;) ;
}
