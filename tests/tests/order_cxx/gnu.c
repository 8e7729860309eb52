// GNU C: statement expressions, cleanup, computed goto, arrays of variable length, old definitions.
#define TWICE(x)                                                                                                                           \
    do {                                                                                                                                   \
        x;                                                                                                                                 \
        x;                                                                                                                                 \
    } while (0)
#define CALL(f, a)                                                                                                                         \
    ({                                                                                                                                     \
        int r_ = f(a);                                                                                                                     \
        stand();                                                                                                                           \
        r_;                                                                                                                                \
    })
#define FOR(i, n) for (int i = 0; i < (n); i++)

static void cleaned(int *p) {
    stand();
    (void)p;
}
static int kr(a, b)
int a;
int b;
{
    stand();
    return a + b;
}

static int scoped(int n) {
    int x __attribute__((cleanup(cleaned))) = n;
    FOR(i, 3) {
        int y __attribute__((cleanup(cleaned))) = i;
        if (i == hide(1)) continue;
        stand();
        if (n == hide(2)) return tick(x);
    }
    stand();
    return 0;
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

static void threaded(const char *code) {
    static void *ops[] = {&&inc, &&dec, &&end};
    const char *p = code;
    goto *ops[*p++ - '0'];
inc:
    stand();
    goto *ops[*p++ - '0'];
dec:
    stand();
    stand();
    goto *ops[*p++ - '0'];
end:
    stand();
}

static jmp_buf env;

static void deep(int n) {
    stand();
    if (n == 0) longjmp(env, 1);
    deep(n - 1);
}

static void caught(void) {
    if (setjmp(env) == 0) deep(2);
    else stand();
}

static int lnot(int n) {
    stand();
    return !n;
}

int main(int argc, char **argv) {
    last = argc > 1 ? atoi(argv[1]) : 0;
    FOR(i, 3) {
        TWICE(stand());
        int r = CALL(tick, i) + CALL(lnot, i);
        total += r;
    }
    FOR(i, 4) scoped(i);
    FOR(i, 6) duff(i + 1);
    threaded("0110012");
    for (int i = 0; i < 2; i++) caught();
    int n = hide(3), a[n];
    FOR(i, n) a[i] = (stand(), tick(i));
    int v = a[0] ?: tick(5);
    v += a[1] ? tick(1) : tick(2);
    for (int i = 0, j = 5; i < j; i++, j--, stand())
        if (lnot(i) || tick(i) > 1 && lnot(j)) stand();
        else tick(0);
    int i = 0;
    while (i < 5 && (stand(), 1)) {
        if (i++ == 2) continue;
        if (!tick(i)) break;
    }
    do { stand(); } while (kr(i--, 0) > 1);

    struct {
        int a, b;
    } s[2] = {[1] = {.b = tick(1), .a = tick(2)}, [0] = {tick(3), tick(4)}};

    total += s[hide(1)].a;
    for (unsigned u = 3; u-- > 0;) stand();
    for (char c = 'a'; c != 'd'; ++c) switch (c) {
        default: stand();
        case 'b': stand(); break;
        case 'c':
            for (;;) {
                stand();
                if (tick(1)) break;
            }
        }
    for (int *p = a, *e = a + n; p != e; ++p) { stand(); }
    for (int g = 1; g < 40; g *= 3) {
        stand();
        for (int h = g; h; h >>= 1) stand();
    }
    if (!last) printf("%lu\n", calls);
    return 0;
}
