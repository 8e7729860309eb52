// Lambdas, overloads, macros with several statements, conditions that are cut short, virtual calls.
#define CHECK(x)                                                                                                                           \
    do {                                                                                                                                   \
        if (!(x)) { stand(); }                                                                                                             \
    } while (0)
#define BOTH(a, b) (a) + (b)
#define UNROLL(x)                                                                                                                          \
    x;                                                                                                                                     \
    x;                                                                                                                                     \
    x

struct S {
    int v = tick(1);
    int w{tick(2)};

    S &set(int x) {
        stand();
        v = x;
        return *this;
    }

    const S &get() const {
        stand();
        return *this;
    }

    static S make(int k) {
        stand();
        S s;
        s.set(k).set(k + 1);
        return s;
    }
};

static int over(int x) {
    stand();
    return x;
}

static int over(double x) {
    stand();
    return (int)x;
}

static int over(const char *) {
    stand();
    return 0;
}

template <class F> static void loop(int n, F f) {
    for (int i = 0; i < n; ++i) { f(i); }
}

template <class F> static void loop2(int n, F f) {
    loop(n, [&](int i) {
        f(i);
        stand();
    });
}

static int def(int a = tick(1), int b = tick(2)) {
    stand();
    return a + b;
}

static bool t(int x) {
    stand();
    return x;
}

static int rec(int n, int m) {
    if (n <= 0) return tick(m);
    int r = 0;
    for (int i = 0; i < 2; i++) {
        r += rec(n - 1, i);
        if (i == m) stand();
    }
    return r;
}

struct Visitor {
    virtual void a() { stand(); }

    virtual void b() {
        stand();
        a();
    }

    virtual ~Visitor() {}
};

struct V2 : Visitor {
    void a() override {
        Visitor::a();
        stand();
    }
};

struct V3 : V2 {
    void b() override {
        stand();
        V2::b();
    }

    void a() final { stand(); }
};

static void walk(Visitor &v, int n) {
    while (n-- > 0) {
        v.a();
        if (n & 1) v.b();
    }
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    CHECK(t(1));
    CHECK(t(0) || t(0));
    CHECK(t(1) && (t(0) ? t(1) : t(0)));
    total += BOTH(tick(1), tick(2));
    UNROLL(stand());
    S s = S::make(1);
    s.set(1).set(2).get();
    S::make(2).get();
    over(1), over(2.0), over("x");
    total += over(over(over(1)));
    loop(3, [&](int i) {
        if (i == hide(1)) return;
        stand();
        loop(2, [&](int j) {
            tick(j);
            if (j) stand();
        });
    });
    loop2(2, [](int) { stand(); });
    loop2(2, [](int x) { tick(x); });
    def();
    def(1);
    def(tick(3), tick(4));
    def(def());
    rec(3, 1);
    V3 v3;
    V2 v2;
    Visitor v1;
    for (Visitor *v : {(Visitor *)&v3, (Visitor *)&v2, &v1}) walk(*v, 2);
    int i = 0;
    for (; t(i < 3) && !t(i == 5); i += tick(1)) {
        if (t(i == 1)) {
            continue;
        } else if (t(i == 2)) {
            stand();
            break;
        }
        stand();
    }
    int x = t(1) ? t(0) ? tick(1) : tick(2) : tick(3);
    total += x;
    std::string out;
    for (char c : std::string("abc")) {
        out += c;
        stand();
        if (c == 'b') {
            auto f = [&]() -> int {
                stand();
                for (int k = 0; k < 2; k++) { stand(); }
                return 1;
            };
            f();
            f();
        }
    }
    std::vector<int> v(5);
    std::generate(v.begin(), v.end(), [n = 0]() mutable {
        stand();
        return n++;
    });
    auto it = std::find_if(v.begin(), v.end(), [](int k) {
        stand();
        return k == hide(3);
    });
    if (it != v.end()) stand();
    std::map<std::string, std::function<void()>> table{{"a", [] { stand(); }}, {"b", [] {
                                                                                    stand();
                                                                                    stand();
                                                                                }}};
    for (auto &e : table) e.second();
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
            for (int c = 0; c < 2; ++c) {
                if (b == hide(1) && c == hide(0)) goto out;
                stand();
            }
out:
    stand();
    switch (int k = tick(2)) {
    case 1: stand(); break;
    case 2: {
        int j = k;
        do {
            stand();
            if (j == hide(1)) break;
        } while (j--);
    }
    default: stand();
    }
    try {
        try {
            stand();
            throw std::runtime_error("x");
        } catch (const std::logic_error &) { stand(); }
    } catch (const std::exception &e) { stand(); }
    if (!last) printf("%lu\n", calls);
}
