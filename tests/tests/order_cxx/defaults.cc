// Calls that no call site writes: default arguments, and what a class says of its members. Each is beside a written call of the same function, on one line.
struct Filled {
    int first;
    int second = tick(1);
};

static __attribute__((noinline)) int take(int a, int b = tick(2)) {
    stand();
    return a + b;
}

static __attribute__((noinline)) int sum(const Filled &a, const Filled &b) {
    stand();
    return a.first + b.second;
}

struct Holder {
    int one = tick(3);
    int two;
    explicit Holder(int n) : two(tick(n)) { total += take(n) + tick(4); }
};

int main(int argc, char **argv) {
    last = argc > 1 ? strtoul(argv[1], nullptr, 10) : 0;
    for (int round = 0; round < hide(3); round++) {
        int x = take(1) && tick(hide(1)) && take(tick(2));
        x += tick(hide(2)), x += take(3), x += tick(4);
        x += sum(Filled{tick(1)}, Filled{2}), x += tick(5);
        total += Holder(x).two;
        static int once = tick(hide(3)); x += tick(6) + once;
    }
    if (!last) printf("%lu\n", calls);
    return 0;
}
