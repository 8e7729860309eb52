// `try` around whole functions, constructors and destructors, handlers in handlers, members that the class says how to make.
struct N {
    int n;

    explicit N(int x) : n(x) {
        stand();
        if (x == hide(13)) throw x;
    }

    ~N() { stand(); }
};

struct A {
    N a;
    int b = tick(3);
    N c{4};
    A(int n)
    try : a(n), c(n + 10) {
        stand();
        if (n == hide(2)) throw 1;
        stand();
    } catch (int e) {
        stand();
        if (e == 13) stand();
    } catch (...) { stand(); }
    ~A() try { stand(); } catch (...) {
        stand();
    }
};
static int whole(int n) try {
    stand();
    if (n & 1) throw n;
    return tick(n);
} catch (int e) {
    stand();
    return tick(e);
}

struct B : A {
    N z;
    B(int n) try : A(n), z(n + 11) { stand(); } catch (int) {
        stand();
        throw 2L;
    }
};

static int nest(int n) {
    try {
        stand();
        try {
            if (n == hide(1)) throw 1;
            stand();
            if (n == hide(2)) throw 2L;
        } catch (int e) {
            stand();
            try {
                throw;
            } catch (...) { stand(); }
            stand();
        }
        stand();
    } catch (long) {
        stand();
        return 1;
    }
    stand();
    return 0;
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 5; i++) {
        try {
            A a(i);
            stand();
        } catch (int) { stand(); }
    }
    for (int i = 0; i < 4; i++) {
        try {
            B b(i);
            stand();
        } catch (int) { stand(); } catch (long) {
            stand();
        }
    }
    for (int i = 0; i < 4; i++) whole(i);
    for (int i = 0; i < 4; i++) nest(i);
    if (!last) printf("%lu\n", calls);
}
