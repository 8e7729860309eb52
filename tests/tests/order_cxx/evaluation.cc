// Orders of evaluation: operators, arguments, initialisers, conditions that declare, iterators.
#include <utility>

struct It {
    int i;

    bool operator!=(const It &o) const {
        stand();
        return i != o.i;
    }

    It &operator++() {
        stand();
        ++i;
        return *this;
    }

    int operator*() const {
        stand();
        return i;
    }
};

struct Rg {
    int n;

    It begin() const {
        stand();
        return {0};
    }

    It end() const {
        stand();
        return {n};
    }
};

static int *cell(int i) {
    static int a[8];
    stand();
    return a + i;
}

static int fst(int x) {
    stand();
    return x;
}

static int snd(int x) {
    stand();
    return x;
}

static int sum(int a, int b, int c) {
    stand();
    return a + b + c;
}

struct S {
    S &operator<<(int x) {
        stand();
        total += x;
        return *this;
    }
};

template <class... A> static void all(A... a) {
    (fst(a), ...);
    (void)(0 + ... + snd(a));
}

template <int N> static int rec() {
    stand();
    if constexpr (N > 0) return rec<N - 1>() + fst(N);
    else return snd(N);
}

struct P {
    int a, b;

    P(int x, int y) : a(x), b(y) { stand(); }
};

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    for (int x : Rg{3}) {
        stand();
        total += x;
    }
    for (auto it = Rg{2}.begin(); it != Rg{2}.end(); ++it) stand();
    *cell(fst(1)) = snd(2);
    *cell(fst(1)) += snd(3);
    sum(fst(1), snd(2), fst(3));
    sum(snd(1), sum(fst(1), fst(2), snd(3)), snd(3));
    S s;
    s << fst(1) << snd(2) << sum(fst(1), 2, snd(3));
    all(1, 2, 3);
    rec<3>();
    P p{fst(1), snd(2)};
    P q(fst(1), snd(2));
    int v[] = {fst(1), snd(2), fst(3)};
    auto [a, b] = std::pair{fst(1), snd(2)};
    int t = fst(0) || snd(1) && fst(2) ? snd(3) : fst(4);
    t = (fst(1), snd(2), fst(3));
    t += fst(t) ? (snd(1) ? fst(2) : snd(3)) : fst(4);
    for (int i = fst(0), j = snd(3); fst(i) < snd(j); fst(i++), snd(j--)) stand();
    int i = 0;
    do {
        if (fst(i) == 1) continue;
        stand();
    } while (snd(++i) < 3);
    while (fst(i) > 0 && snd(i--) != 1) stand();
    if (int z = fst(1); z && snd(z)) {
        stand();
    } else if (fst(2)) {
        stand();
    }
    switch (int z = fst(2); snd(z)) {
    case 1: stand();
    case 2: stand(); [[fallthrough]];
    case 3: stand(); break;
    default: stand();
    }
    new P(fst(1), snd(2));
    auto *w = new int[fst(3)]{snd(1), fst(2)};
    w[fst(1)] = w[snd(0)] + fst(2);
    if (!last) printf("%lu\n", calls);
}
