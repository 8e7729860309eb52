// What programs of C++ begin with besides: functions and classes that call 'stand'.
static int both(int a, int b) {
    stand();
    return a - b;
}

struct Guard {
    int number;
    explicit Guard(int n) : number(n) { stand(); }
    ~Guard() { stand(); }
};

struct Twice {
    Guard inner;
    int number;
    explicit Twice(int n) : inner(n), number(tick(n)) {}
    ~Twice() {
        stand();
        stand();
    }
};

struct Pair {
    int a, b;
};

struct Counter {
    int value;
    void advance() { value++; }
};

struct Chain {
    int value;
    explicit Chain(int n) : value(n) { stand(); }
    Chain &then(int n) {
        stand();
        value += n;
        return *this;
    }
    ~Chain() { stand(); }
};

struct Base {
    virtual int run(int a) {
        stand();
        return a;
    }
    virtual ~Base() = default;
};

template <typename F> static void each(std::initializer_list<int> all, F f) {
    for (int one : all)
        f(one);
}

