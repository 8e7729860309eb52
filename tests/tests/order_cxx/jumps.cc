// `goto` past destructors, forwards and backwards.
struct G {
    int n;

    explicit G(int x) : n(x) { stand(); }

    ~G() { stand(); }
};

static void out(int i) {
    G outer(0);
    for (G step(2); i > 0; i--) {
        G inner(3);
        if (i == hide(1)) goto end;
        stand();
    }
    stand();
end:
    stand();
}

static void again(int i) {
    G a(1);
back:
    G b(2);
    stand();
    if (i-- > hide(0)) {
        G c(3);
        stand();
        goto back;
    }
    stand();
}

static int fail(int i) {
    int r = 1;
    {
        G a(1);
        if (i == hide(1)) goto failed;
        G b(2);
        if (i == hide(2)) goto failed;
        {
            G c(3);
            if (i == hide(3)) goto failed;
            stand();
        }
        r = 0;
        goto done;
    }
failed:
    stand();
    r = tick(5);
done:
    stand();
    return r;
}

static void mixed(int n) {
    G a(1);
    for (int i = 0; i < n; i++) {
        G b(2);
        switch (i) {
        case 0: {
            G c(3);
            goto next;
        }
        case 1: {
            G d(4);
            break;
        }
        case 2: stand(); continue;
        case 3: {
            G e(5);
            for (;;) {
                G f(6);
                if (hide(1)) goto next;
            }
        }
        default: goto leave;
        }
        stand();
    next:
        stand();
    }
leave:
    stand();
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 3; i++) out(i);
    again(2);
    for (int i = 0; i < 5; i++) fail(i);
    mixed(6);
    if (!last) printf("%lu\n", calls);
}
