// Constructors: members, bases, delegation, exceptions half way, static variables, default arguments.
struct V {
    int v;

    V(int x) : v(tick(x)) { stand(); }

    ~V() { stand(); }
};

struct M {
    V a{1};
    int b = tick(2);
    V c = V(3);

    M() { stand(); }

    M(int x) : b(tick(x)) { stand(); }

    M(int x, int y) : M(x) { stand(); }
};

struct D1 : virtual V {
    D1() : V(1) { stand(); }
};

struct D2 : virtual V {
    D2() : V(2) { stand(); }
};

struct E : D1, D2 {
    M m;

    E() : V(3), m(4, 5) { stand(); }
};

struct T {
    V a;
    int b;
    T(int x) try : a(x), b(tick(x)) {
        stand();
        if (x == hide(2)) throw 1;
        stand();
    } catch (int) {
        stand();
        throw;
    }
};

struct Agg {
    int a = tick(1);
    int b = tick(2);
    int c;
};

struct Inh : M {
    using M::M;
    int z = tick(9);
};

struct F {
    static int s() {
        static int k = tick(tick(1));
        stand();
        return k;
    }
};

struct R {
    static int s(int i) {
        static int k = [&] {
            stand();
            if (i < hide(2)) throw i;
            return tick(i);
        }();
        stand();
        return k;
    }
};

static int f(int a = tick(1), int b = tick(2)) {
    stand();
    return a + b;
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    M m;
    M n(3);
    M o(4, 5);
    for (int i = 0; i < 3; i++) {
        E e;
        stand();
    }
    for (int i = 0; i < 4; i++) try {
            T t(i);
            stand();
        } catch (int) { stand(); }
    Agg g{.c = 3};
    Agg h{tick(7)};
    Agg k[2] = {{1}, {2, tick(3)}};
    stand();
    Inh q(1);
    Inh r(2, 3);
    stand();
    for (int i = 0; i < 3; i++) F::s();
    for (int i = 0; i < 4; i++) try {
            R::s(i);
        } catch (int) { stand(); }
    f();
    f(3);
    f(4, 5);
    f(f(), f(6));
    V *a = new V[2]{V(1), V(2)};
    delete[] a;
    if (!last) printf("%lu\n", calls);
}
