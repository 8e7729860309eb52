// Member functions: virtual bases, operators, templates, range-for, lambdas, owners.
struct N {
    int n;

    N(int x = 0) : n(x) { stand(); }

    ~N() { stand(); }
};

struct VB {
    N v{1};

    VB() { stand(); }

    virtual int f() {
        stand();
        return 1;
    }

    virtual ~VB() { stand(); }
};

struct L : virtual VB {
    N l = N(2);

    int f() override {
        stand();
        return 2;
    }
};

struct R : virtual VB {
    N r;

    R() : r(3) { stand(); }
};

struct D : L, R {
    N d;
    int k = tick(7);
    D(int n) try : d(n), k(tick(n)) {
        stand();
        if (n == hide(3)) throw 1;
    } catch (int) { stand(); }

    D() : D(9) { stand(); }

    int f() override {
        stand();
        return L::f() + 1;
    }
};

struct T {
    N a;
    N b;

    T(int n) : a(n), b(n > hide(2) ? throw n : n) { stand(); }
};

static N &single() {
    static N one(tick(4));
    stand();
    return one;
}

template <int K> struct Rec {
    static int go(int n) {
        stand();
        if constexpr (K > 0) return Rec<K - 1>::go(n) + 1;
        else return n;
    }
};

template <typename... A> static int sum(A... a) {
    stand();
    return (0 + ... + tick(a));
}

template <typename T> static auto twice(T f) {
    f();
    stand();
    return f();
}

struct It {
    int i;

    int operator*() const {
        stand();
        return i;
    }

    It &operator++() {
        stand();
        i++;
        return *this;
    }

    bool operator!=(const It &o) const {
        stand();
        return i != o.i;
    }
};

struct Range {
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

struct Op {
    int v;

    Op operator+(const Op &o) const {
        stand();
        return {v + o.v};
    }

    Op &operator<<(int x) {
        stand();
        v += x;
        return *this;
    }

    explicit operator bool() const {
        stand();
        return v;
    }

    int operator()(int x) {
        stand();
        return x;
    }

    int operator[](int x) {
        stand();
        return x;
    }

    Op *operator->() {
        stand();
        return this;
    }
};
enum class E { a, b, c };

static int on(E e) {
    switch (e) {
    case E::a: return tick(1);
    case E::b: stand(); [[fallthrough]];
    case E::c: stand();
    }
    return 0;
}

namespace in {
namespace {
inline int g(int x) {
    stand();
    return x;
}
} // namespace
} // namespace in

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    {
        D d(2);
        VB &b = d;
        b.f();
        d.L::f();
    }
    try {
        D d(3);
        stand();
    } catch (int) { stand(); }
    { D d; }
    for (int i = 1; i < 4; i++) try {
            T t(i);
            stand();
        } catch (int) { stand(); }
    for (int i = 0; i < 3; i++) single();
    Rec<3>::go(hide(1));
    sum(1, 2, 3);
    twice([] {
        stand();
        return 1;
    });
    for (int x : Range{3}) {
        if (x == hide(1)) continue;
        stand();
    }
    for (auto it = Range{2}.begin(); it != Range{2}.end(); ++it) { *it; }
    Op a{1}, b{2};
    Op c = a + b + a;
    c << 1 << 2 << tick(3);
    if (c) stand();
    c(tick(1));
    c[tick(0)];
    c->operator()(2);
    for (E e : {E::a, E::b, E::c}) on(e);
    if (int k = tick(1); k > hide(0)) in::g(k);
    else stand();
    auto [p, q] = std::pair(in::g(1), in::g(2));
    total = p + q;
    auto add = [n = tick(1)](auto x) mutable {
        stand();
        n += x;
        return n;
    };
    add(1);
    add(2L);
    add(tick(2));
    auto *dyn = new D(5);
    delete dyn;
    auto *arr = new N[2];
    delete[] arr;
    std::shared_ptr<N> sp(new N(1)), s2 = sp;
    sp.reset();
    s2.reset();
    std::function<int(int)> fs[] = {[](int x) {
                                        stand();
                                        return x;
                                    },
                                    in::g, Op{3}};
    for (auto &f : fs) f(1);
    std::vector<std::vector<int>> vv{{1, 2}, {3}};
    for (auto &v : vv)
        for (auto x : v) {
            stand();
            if (x == 2) break;
        }
    for (auto r = vv.rbegin(); r != vv.rend(); r++)
        for (size_t j = r->size(); j--;) stand();
    if (!last) printf("%lu\n", calls);
}
