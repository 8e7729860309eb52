// Destructors of objects and temporaries at every way out of a scope.
struct Noisy {
    int n;

    Noisy(int x = 0) : n(x) { stand(); }

    Noisy(const Noisy &o) : n(o.n) { stand(); }

    ~Noisy() { stand(); }

    int get() const {
        stand();
        return n;
    }
};

static Noisy make(int n) { return Noisy(n); }

static int use(const Noisy &a, const Noisy &b) {
    stand();
    return a.n + b.n;
}

static int early(int i) {
    Noisy a(i);
    for (int k = 0; k < 3; k++) {
        Noisy b(k);
        if (k == hide(1)) continue;
        Noisy c(k);
        if (i == hide(2) && k == 2) return a.get() + c.get();
        if (i == hide(3)) break;
        stand();
    }
    Noisy d(4);
    stand();
    return d.get();
}

static void jump(int i) {
again:
    {
        Noisy a(i);
        if (i-- > hide(0)) goto again;
        stand();
    }
    Noisy x[2] = {Noisy(1), Noisy(2)};
    stand();
    const Noisy &ref = make(3);
    stand();
    use(make(1), make(2));
    {
        Noisy p(1);
        Noisy q(2);
    }
    { Noisy p(3); }
    if (Noisy(2).get() > hide(1)) stand();
    else Noisy(5);
    while (Noisy(total).get() < 2) {
        Noisy w(1);
        total++;
    }
    for (Noisy f(0); f.n < 2; f.n++) {
        Noisy g(1);
        stand();
    }
    switch (Noisy(1).get()) {
    case 0: stand();
    case 1: stand();
    case 2: {
        Noisy h(2);
        break;
    }
    default: stand();
    }
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 4; i++) {
        early(i);
        stand();
    }
    jump(2);
    auto p = std::make_unique<Noisy>(3);
    p.reset(new Noisy(4));
    std::vector<Noisy> v;
    v.emplace_back(1);
    v.emplace_back(2);
    v.push_back(Noisy(3));
    v.clear();
    if (!last) printf("%lu\n", calls);
}
