// Loops of C: counters that jump, wrap, are bits or are changed through pointers, and loops without any.
struct it {
    unsigned i : 4;
    int j;
};

static int g;

static void bump(int *p) {
    stand();
    *p += 1;
}

static int next(int x) {
    stand();
    return x * 7 % 11;
}

static void duff(int n) {
    int k = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { stand();
        case 3: stand();
        case 2: stand();
        case 1: stand();
        } while (--k > 0);
    }
}

static void zig(int n) {
    int i = 0, d = 1;
    while (i >= 0) {
        stand();
        i += d;
        if (i == n) {
            d = -1;
            stand();
        }
    }
}

static void wrap(void) {
    unsigned char c = 250;
    for (int n = 0; n < 10; n++) {
        c++;
        tick(c);
    }
    for (unsigned char u = 250; u != 4; u++) stand();
}

static void bits(void) {
    struct it s = {12, 0};
    while (s.j < 8) {
        s.i++;
        s.j++;
        tick(s.i);
    }
    for (s.j = 3; s.j--;) stand();
}

static void alias(void) {
    int i = 0;
    int *p = &i;
    for (i = 0; i < 6; i++) {
        stand();
        if (i == 2) *p = 4;
        bump(p);
    }
    for (g = 0; g < 3; g++) {
        stand();
        bump(&g);
        g--;
    }
}

static void computed(int n) {
    void *l[] = {&&a, &&b, &&c};
    int k = 0;
    goto *l[k];
a:
    stand();
    k++;
    if (k < n) goto *l[k % 3];
    return;
b:
    stand();
    k++;
    if (k < n) goto *l[k % 3];
    return;
c:
    stand();
    k++;
    if (k < n) goto *l[k % 3];
}

static jmp_buf env;

static void jumps(void) {
    volatile int n = 0;
    if (setjmp(env)) { stand(); }
    stand();
    if (n++ < 3) {
        stand();
        longjmp(env, 1);
    }
    stand();
}

static void list(void) {
    struct node {
        struct node *next;
        int v;
    } a = {0, 1}, b = {&a, 2}, c = {&b, 3};

    for (struct node *p = &c; p; p = p->next) {
        stand();
        for (int k = p->v; k; k--) stand();
    }
}

static void fl(void) {
    for (float f = 0; f < 1; f += 0.25f) { stand(); }
    for (double d = 8; d > 0.4; d /= 2) stand();
    int i = 1;
    while (i != 1 << 4) {
        stand();
        i <<= 1;
    }
    i = 3;
    do {
        i = next(i);
        stand();
    } while (i != 3);
}

#define TWICE(x)                                                                                                                           \
    do {                                                                                                                                   \
        x;                                                                                                                                 \
        x;                                                                                                                                 \
    } while (0)
#define LOOP(n, x)                                                                                                                         \
    for (int z = 0; z < (n); z++) { x; }

static void macros(void) {
    TWICE(stand());
    LOOP(2, stand()) LOOP(2, LOOP(2, stand(); tick(z))) TWICE(LOOP(2, TWICE(stand())));
    int k = 0;
    while (k < 4) TWICE(if (k++ & 1) stand(); else tick(k));
}

static int rec(int n) {
    static int depth;
    stand();
    depth++;
    if (n > 0) {
        rec(n - 1);
        stand();
        rec(n - 2);
    }
    depth--;
    stand();
    return depth;
}

static void nested(void) {
    int k = 0;
    void in(void) {
        stand();
        k++;
        for (int i = 0; i < 2; i++) stand();
    }
    for (; k < 3;) {
        in();
        stand();
    }
    in();
}

static void brks(void) {
    for (int i = 0;; i++) {
        for (int j = 0;; j++) {
            if (j == i) {
                stand();
                break;
            }
            if (i + j == 5) goto out;
            stand();
        }
        stand();
    }
out:
    stand();
}

static void stat(void) {
    static int s;
    s++;
    stand();
    for (; s % 4; s++) stand();
}

static void stmt(void) {
    int x = ({
        stand();
        tick(2);
    });
    for (int i = 0; i < ({ stand(); x; }); i++)
        x = x - ({
                int q = tick(0);
                stand();
                q;
            });
    int c = tick(1) ?: tick(2);
    c = tick(0) ?: tick(2);
}

static void vla(int n) {
    for (int i = 1; i < n; i++) {
        char b[i * 10];
        memset(b, i, sizeof b);
        stand();
        tick(b[0]);
    }
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    duff(7);
    zig(3);
    wrap();
    bits();
    alias();
    computed(5);
    jumps();
    list();
    fl();
    macros();
    rec(3);
    nested();
    brks();
    stat();
    stat();
    stmt();
    vla(4);
    if (!last) printf("%lu\n", calls);
}
