// Calls: recursion, exceptions, pointers to functions, functions of the standard library that call back.
struct X {
    int n;
};

static void ping(int n);

static void pong(int n) {
    stand();
    if (n > 0) {
        for (int i = 0; i < 2; i++) ping(n - 1);
    }
    stand();
}

static void ping(int n) {
    if (n == hide(0)) {
        stand();
        return;
    }
    for (int i = 0; i < 2; i++) {
        pong(n - 1);
        stand();
    }
}

static int ack(int m, int n) {
    stand();
    if (m == 0) return n + 1;
    if (n == 0) return ack(m - 1, 1);
    return ack(m - 1, ack(m, n - 1));
}

static int tail(int n) {
    stand();
    if (n <= 0) return 0;
    stand();
    return tail(n - 1);
}

static void thrower(int n) {
    stand();
    if (n % 3 == 0) throw X{n};
    if (n % 3 == 1) throw n;
    stand();
}

static int tries(int n) {
    for (int i = 0; i < n; i++) {
        try {
            try {
                thrower(i);
                stand();
            } catch (int k) {
                stand();
                if (i > hide(3)) throw;
                stand();
            }
            stand();
        } catch (X &x) {
            stand();
            continue;
        } catch (...) {
            stand();
            if (i > 3) break;
        }
        stand();
    }
    return n;
}

static int retry(int n) {
    int k = 0;
again:
    try {
        stand();
        if (k++ < n) throw 1;
    } catch (int) {
        stand();
        goto again;
    }
    stand();
    return k;
}

struct Dt {
    bool t;

    ~Dt() noexcept(false) {
        stand();
        if (t) throw 7;
        stand();
    }
};

static std::function<int(int)> fib = [](int n) {
    stand();
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
};

static int apply(int (*f)(int), int x) {
    stand();
    return f(x);
}

static int one(int x) {
    stand();
    return x;
}

static int two(int x) {
    stand();
    stand();
    return x;
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    ping(3);
    ack(2, 1);
    tail(4);
    tries(6);
    retry(3);
    fib(4);
    for (int i = 0; i < 4; i++) try {
            Dt d{i == 2};
            stand();
        } catch (int) { stand(); }
    int (*table[])(int) = {one, two, one};
    for (int i = 0; i < 6; i++) {
        table[i % 3](i);
        apply(table[(i + 1) % 3], i);
    }
    std::vector<int> v{4, 2, 3, 1, 9, 5};
    std::sort(v.begin(), v.end(), [](int a, int b) {
        stand();
        return a < b;
    });
    std::for_each(v.begin(), v.end(), [&](int x) {
        stand();
        if (x > 3) stand();
    });
    std::map<int, int> m{{1, 2}, {3, 4}};
    for (auto &[k, w] : m) {
        stand();
        w += one(k);
    }
    [&] {
        for (int i = 0; i < 2; i++)
            [&] {
                stand();
                for (int j = 0; j < 2; j++) [&] { stand(); }();
            }();
    }();
    if (!last) printf("%lu\n", calls);
}
